package io.lockable;

import java.time.Duration;

/**
 * The event of a renewal that failed with the store.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param fencingToken the fencing token of the lease
 * @param remaining the rest of the lease if no renewal succeeds
 * @param cause the failure
 * @since 0.1.0
 */
public record LockRenewalFailed(String key, String name, long fencingToken, Duration remaining,
		Throwable cause) implements LockEvent {
}
