package io.lockable.campaign.history;

/**
 * The outcome of an attempt to acquire a lock.
 */
public enum Outcome {

	/**
	 * The lock was acquired.
	 */
	GRANTED,

	/**
	 * Another owner held the lock until the end of the wait.
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
	 * The worker died before the outcome.
	 */
	UNKNOWN

}
