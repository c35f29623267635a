package io.lockable;

import java.time.Duration;

/**
 * The event of an acquired lock.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param fencingToken the fencing token of the lease
 * @param waited the duration of the call
 * @since 0.1.0
 */
public record LockAcquired(String key, String name, long fencingToken, Duration waited) implements LockEvent {
}
