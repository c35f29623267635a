package io.lockable;

/**
 * What becomes of an annotated call whose lock is lost while its method runs: the lease
 * ended before it was renewed, or the server gave the lock to another owner. In each
 * case, the loss is logged and each {@link LockListener} is notified.
 *
 * @since 0.1.0
 */
public enum OnLost {

	/**
	 * Nothing else: the method goes on, and its outcome stands.
	 */
	WARN,

	/**
	 * The thread that runs the method is interrupted as soon as the loss is known. What
	 * the method does then is its own affair, and its outcome stands.
	 */
	INTERRUPT,

	/**
	 * The method goes on, but a call that would have succeeded throws
	 * {@link LockLostException}; in a transaction that it started before that is
	 * committed, so that the transaction is rolled back. An exception of the method
	 * itself stands.
	 */
	FAIL

}
