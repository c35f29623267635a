package io.lockable;

/**
 * Whether the lease of a live holder is extended for as long as it holds the lock.
 *
 * @since 0.1.0
 */
public enum Renewal {

	/**
	 * For {@link DistributedLockable#renew()} only: a lock with a lease of its own, by
	 * {@link DistributedLockable#expire()} or {@link DistributedLockable#expireString()},
	 * is not renewed; any other is renewed as the properties say. {@link LockOptions}
	 * refuse this value.
	 */
	AUTO,

	/**
	 * The lease is extended at a third of its length, again and again, until it is
	 * released, lost, or {@link LockOptions#maxHold()} is reached. A crashed holder still
	 * frees the lock when its last lease ends.
	 */
	ON,

	/**
	 * The lease ends when it ends, also when the holder still works.
	 */
	OFF

}
