package io.lockable.engine.watch;

import io.lockable.engine.inspection.LockWaiting;
import io.lockable.store.StoredLock;

/**
 * A call that waits for a lock, as its instance reports it.
 *
 * @param info the lock and the waiting call
 * @param owner the owner token of the call
 * @param startedAt the time of day at which the call began to wait, by its own instance
 * and the same for each report
 * @param permits the largest number of holders; 0 for the exclusive lock
 */
record Wait(LockWaiting info, String owner, long startedAt, int permits) {

	/**
	 * Returns whether this call began to wait before another one. All instances order two
	 * calls in the same way.
	 * @param other the other call
	 * @return whether this call is the older one
	 */
	boolean isOlderThan(Wait other) {
		return (this.startedAt != other.startedAt) ? this.startedAt < other.startedAt
				: this.owner.compareTo(other.owner) < 0;
	}

	/**
	 * Returns whether each holder of a lock keeps the call waiting. A reader beside other
	 * readers, or one of several permits, waits for something else: a waiting writer, or
	 * any holder.
	 * @param lock the lock
	 * @return whether the call waits for each of the holders
	 */
	boolean waitsForEachHolder(StoredLock lock) {
		return this.permits <= 1 || !lock.shared();
	}

}
