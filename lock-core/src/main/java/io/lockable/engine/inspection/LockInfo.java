package io.lockable.engine.inspection;

import java.time.Duration;

/**
 * A lock that an instance holds at the time of the query.
 *
 * @param instance the {@linkplain io.lockable.engine.LockEngine.Builder#instance name} of
 * the instance
 * @param key the full name of the lock
 * @param name {@link io.lockable.LockOptions#name()}
 * @param owner the owner token
 * @param thread the name of the acquiring thread; for an asynchronous acquisition
 * {@code async} and the calling thread, for several keys an engine thread
 * @param held the time since the acquisition
 * @param remaining the rest of the lease without renewal, zero if it is about to be lost
 * @param holdCount the number of acquisitions by its thread; 1 for a handle
 * @param fencingToken the fencing token
 * @param renewals the number of renewals
 * @since 0.1.0
 */
public record LockInfo(String instance, String key, String name, String owner, String thread, Duration held,
		Duration remaining, int holdCount, long fencingToken, long renewals) {

}
