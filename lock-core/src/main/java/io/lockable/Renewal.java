package io.lockable;

/**
 * Whether the lease of a live holder is renewed while it holds the lock.
 *
 * @since 0.1.0
 */
public enum Renewal {

	/**
	 * The lease is renewed after each third of its length, until it is released, lost, or
	 * {@link LockOptions#maxHold()} is reached. The lock of a crashed holder is free when
	 * its last lease expires.
	 */
	ON,

	/**
	 * The lease is never extended, even while the holder still works.
	 */
	OFF

}
