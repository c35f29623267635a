package io.lockable;

import java.time.Duration;

/**
 * The event of an acquisition that failed with the store. The holder of the lock is
 * unknown.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param waited the duration of the call
 * @param cause the exception that the caller received
 * @since 0.1.0
 */
public record LockFailed(String key, String name, Duration waited, LockException cause) implements LockEvent {
}
