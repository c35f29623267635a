package io.lockable;

/**
 * Says which lease was lost, and why.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param fencingToken the fencing token of the lost lease
 * @param reason how the loss became known
 * @since 0.1.0
 */
public record LockLost(String key, String name, long fencingToken, Reason reason) implements LockEvent {

	/**
	 * How a loss became known.
	 */
	public enum Reason {

		/**
		 * The local deadline passed: the lease ran out, was not renewed in time, or could
		 * not be renewed because the server did not answer.
		 */
		EXPIRED,

		/**
		 * The server said that the lock is not ours: it ran out there, was deleted, or
		 * the server lost its data.
		 */
		NOT_OWNED,

		/**
		 * The lock was held for {@link LockOptions#maxHold()}, so it was no longer
		 * renewed and ran out.
		 */
		MAX_HOLD,

		/**
		 * This instance shut down while the lock was held, and gave it back.
		 */
		SHUTDOWN,

		/**
		 * An operator {@linkplain io.lockable.engine.LockEngine#forceRelease released the
		 * lock by force} in this instance. Where that was done in another instance, it is
		 * {@link #NOT_OWNED}.
		 */
		FORCED

	}
}
