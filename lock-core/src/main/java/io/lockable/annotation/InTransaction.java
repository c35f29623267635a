package io.lockable.annotation;

/**
 * The time at which an annotated method releases its lock if its caller already has a
 * transaction. The lock always encloses a transaction that the method itself starts.
 *
 * @since 0.1.0
 */
public enum InTransaction {

	/**
	 * As configured; by default {@link #KEEP}.
	 */
	DEFAULT,

	/**
	 * After the caller's transaction completes, so that the next holder sees the
	 * committed data. Until then, the lock is renewed if renewal is on.
	 */
	KEEP,

	/**
	 * When the method returns. The next holder may not yet see the data that this one
	 * wrote.
	 */
	RELEASE

}
