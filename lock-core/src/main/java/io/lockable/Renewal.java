package io.lockable;

/**
 * Whether the lease of a live holder is renewed while it holds the lock.
 *
 * @since 0.1.0
 */
public enum Renewal {

	/**
	 * For {@link io.lockable.annotation.DistributedLockable#renew()} only;
	 * {@link LockOptions} rejects this value. A lock with a lease set by
	 * {@link io.lockable.annotation.DistributedLockable#expire()} or
	 * {@link io.lockable.annotation.DistributedLockable#expireString()} is not renewed.
	 * Any other lock is renewed as configured.
	 */
	AUTO,

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
