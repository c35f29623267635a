package io.lockable.store;

import java.util.List;

/**
 * A lock as the backend had it when it was asked.
 *
 * @param holders who holds it: nobody, one, or all who share it
 * @param shared whether the holders share it
 * @param waiting how many are queued on the backend, of which some may have died; each
 * instance queues one for all of its threads, but one for each that waits fairly or for a
 * share. 0 for a store without a queue
 * @since 0.1.0
 */
public record StoredLock(List<RemoteHolder> holders, boolean shared, long waiting) {

	/**
	 * Copies the holders.
	 */
	public StoredLock {
		holders = List.copyOf(holders);
	}

	/**
	 * Returns whether anybody holds the lock.
	 * @return whether there are holders
	 */
	public boolean isHeld() {
		return !this.holders.isEmpty();
	}

}
