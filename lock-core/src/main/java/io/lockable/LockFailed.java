package io.lockable;

import java.time.Duration;

/**
 * Says which lock was not acquired, because the store failed: nothing is known of who
 * holds it.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param waited how long the call took
 * @param cause what the caller got
 * @since 0.1.0
 */
public record LockFailed(String key, String name, Duration waited, LockException cause) implements LockEvent {
}
