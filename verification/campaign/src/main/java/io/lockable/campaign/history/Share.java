package io.lockable.campaign.history;

/**
 * A kind of share in a lock.
 */
public enum Share {

	/**
	 * The whole lock.
	 */
	EXCLUSIVE,

	/**
	 * A read lock.
	 */
	READ,

	/**
	 * A permit of a semaphore.
	 */
	PERMIT

}
