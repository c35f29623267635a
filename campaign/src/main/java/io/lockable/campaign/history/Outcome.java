package io.lockable.campaign.history;

/**
 * How an attempt to acquire a lock ended.
 */
public enum Outcome {

	/**
	 * The lock was acquired.
	 */
	GRANTED,

	/**
	 * Another owner held the lock until the wait was over.
	 */
	REFUSED,

	/**
	 * The server failed or did not answer.
	 */
	FAILED,

	/**
	 * The thread was interrupted.
	 */
	INTERRUPTED,

	/**
	 * The future was cancelled.
	 */
	CANCELLED,

	/**
	 * The worker died before it knew.
	 */
	UNKNOWN

}
