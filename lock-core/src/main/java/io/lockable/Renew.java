package io.lockable;

/**
 * Whether the lock of an annotated method is renewed for as long as the method runs.
 *
 * @since 0.1.0
 */
public enum Renew {

	/**
	 * A lock without a lease of its own is renewed, as the properties say; one with
	 * {@link DistributedLockable#expire()} or {@link DistributedLockable#expireString()}
	 * ends when it ends.
	 */
	AUTO,

	/**
	 * The lock is renewed, also one with a lease of its own.
	 */
	ON,

	/**
	 * The lock is not renewed: it ends with its lease, also when the method still runs.
	 */
	OFF

}
