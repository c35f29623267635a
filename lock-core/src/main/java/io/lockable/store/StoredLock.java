package io.lockable.store;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The state of a lock on the backend at the time of the query.
 *
 * @param holders the holders: none, one, or all sharers
 * @param shared whether the holders share the lock
 * @param waiting the length of the backend's queue, which may include dead waiters; 0 for
 * a store without a queue. Each instance queues one entry for all of its threads, but one
 * for each fair or sharing waiter
 * @since 0.1.0
 */
public record StoredLock(List<Holder> holders, boolean shared, long waiting) {

	/**
	 * Copies the holders.
	 */
	public StoredLock {
		holders = List.copyOf(holders);
	}

	/**
	 * Returns whether any owner holds the lock.
	 * @return whether there are holders
	 */
	public boolean isHeld() {
		return !this.holders.isEmpty();
	}

	/**
	 * An owner that holds the lock, or a share of it.
	 *
	 * @param owner the owner token
	 * @param remaining the rest of the lease without renewal; {@code null} for no expiry,
	 * which only a foreign command sets
	 */
	public record Holder(String owner, @Nullable Duration remaining) {

	}

}
