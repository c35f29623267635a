package io.lockable.campaign.history;

/**
 * The result of a release.
 */
public enum Released {

	/**
	 * The lock was released, and was held until then.
	 */
	OURS,

	/**
	 * The lock was already lost.
	 */
	NOT_OURS,

	/**
	 * The server failed: the lock may stay held until its lease ends.
	 */
	UNKNOWN,

	/**
	 * The worker died before the release, or before its result.
	 */
	NEVER

}
