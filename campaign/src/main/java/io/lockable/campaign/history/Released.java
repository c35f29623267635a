package io.lockable.campaign.history;

/**
 * What a release said about itself.
 */
public enum Released {

	/**
	 * The lock was given back, and was ours until then.
	 */
	OURS,

	/**
	 * The lock was no longer ours.
	 */
	NOT_OURS,

	/**
	 * The server failed: the lock may stay taken until its lease ends.
	 */
	UNKNOWN,

	/**
	 * The worker died before it released the lock, or before it knew.
	 */
	NEVER

}
