package io.lockable.engine;

import java.time.Duration;

import io.lockable.engine.lease.LocalLease;

/**
 * A lock that an instance holds, at the moment of the question.
 *
 * @param key the full name of the lock
 * @param name {@link io.lockable.LockOptions#name()}
 * @param owner the owner token
 * @param thread the name of the thread that acquired it; for one acquired without
 * blocking {@code async} and the thread that asked, which is the engine's for several
 * keys
 * @param held how long it has been held
 * @param remaining how long it still is without renewal, zero if it is about to be lost
 * @param holdCount how often its thread has entered it; 1 for a handle
 * @param fencingToken the fencing token
 * @param renewals how often it was renewed
 * @since 0.1.0
 */
public record LockInfo(String key, String name, String owner, String thread, Duration held, Duration remaining,
		int holdCount, long fencingToken, long renewals) {

	static LockInfo of(LocalLease lease, long now) {
		return new LockInfo(lease.key(), lease.options().name(), lease.owner(), lease.holder().name(),
				lease.times().held(now), lease.remaining(), lease.holdCount(), lease.fencingToken(),
				lease.reports().renewals());
	}

}
