package io.lockable;

import java.time.Duration;

/**
 * Says which lock was not acquired, because the caller gave up: its thread was
 * interrupted or its future cancelled. Several keys that were not free together are
 * cancelled too, and then acquired one by one.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param waited how long the call took
 * @since 0.1.0
 */
public record LockCancelled(String key, String name, Duration waited) implements LockEvent {
}
