package io.lockable;

/**
 * The event of a release that failed with the store.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param fencingToken the fencing token of the lease
 * @param cause the failure
 * @since 0.1.0
 */
public record LockReleaseFailed(String key, String name, long fencingToken, Throwable cause) implements LockEvent {
}
