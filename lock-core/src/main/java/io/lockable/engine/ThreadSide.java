package io.lockable.engine;

import io.lockable.LockOptions;

/**
 * What the current thread holds of one key, on one side: all of the lock, or a share of
 * it.
 */
interface ThreadSide {

	/**
	 * Holds the lock once more if the thread holds it already.
	 * @param options the options of the lock
	 * @return {@code false} if it has to be acquired: also anew, because it is lost
	 * @throws io.lockable.LockException if the thread can have it neither way
	 */
	boolean reenter(LockOptions options);

	/**
	 * Notes that the thread holds the lock now.
	 * @param lease the lease acquired
	 * @param options the options with which it was acquired
	 */
	void own(HeldLease lease, LockOptions options);

	/**
	 * Sends the release ahead if the next {@link #leave} is going to give the lock back:
	 * so several releases are on their way together.
	 */
	void sendAhead();

	/**
	 * Gives back one acquisition.
	 * @throws io.lockable.LockLostException if the lock was no longer ours
	 * @throws io.lockable.LockStoreException if the store failed
	 * @throws IllegalMonitorStateException if the thread does not hold the lock
	 */
	void leave();

	/**
	 * Returns how often the thread holds the lock.
	 * @return the number of acquisitions not given back yet
	 */
	int count();

	/**
	 * Returns the lease by which the thread holds the lock.
	 * @return the lease, which may be lost
	 * @throws IllegalMonitorStateException if the thread does not hold the lock
	 */
	HeldLease lease();

	/**
	 * Returns whether the thread holds the lock, with a lease that is not lost.
	 * @return whether it does
	 */
	boolean isHeld();

}
