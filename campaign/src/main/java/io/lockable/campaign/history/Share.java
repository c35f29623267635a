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
	 * One of many readers.
	 */
	READ,

	/**
	 * One of a number of permits.
	 */
	PERMIT

}
