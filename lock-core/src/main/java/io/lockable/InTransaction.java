package io.lockable;

/**
 * When an annotated method gives its lock back if its caller has a transaction already. A
 * transaction that the method itself starts is always within the lock.
 *
 * @since 0.1.0
 */
public enum InTransaction {

	/**
	 * As the properties say: by default {@link #KEEP}.
	 */
	DEFAULT,

	/**
	 * When the caller's transaction has completed, so that the next holder sees what was
	 * committed. Until then the lock is renewed, if it is renewed at all.
	 */
	KEEP,

	/**
	 * When the method returns. The next holder may then not yet see what this one wrote.
	 */
	RELEASE

}
