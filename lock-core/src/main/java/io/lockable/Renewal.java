package io.lockable;

/**
 * Whether a live holder's lease is extended for as long as it holds the lock.
 *
 * @since 0.1.0
 */
public enum Renewal {

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
