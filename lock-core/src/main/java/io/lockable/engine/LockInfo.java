package io.lockable.engine;

import java.time.Duration;

import io.lockable.engine.shell.LocalLease;

/**
 * A lock that an instance holds at the time of the query.
 *
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
public record LockInfo(String key, String name, String owner, String thread, Duration held, Duration remaining,
		int holdCount, long fencingToken, long renewals) {

	static LockInfo of(LocalLease lease, long now) {
		return new LockInfo(lease.key(), lease.options().name(), lease.owner(), lease.callerName(),
				lease.times().held(now), lease.remaining(), lease.holdCount(), lease.fencingToken(), lease.renewals());
	}

}
