package io.lockable;

/**
 * The event of a lost lease.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param fencingToken the fencing token of the lost lease
 * @param reason the way in which the loss was detected
 * @since 0.1.0
 */
public record LockLost(String key, String name, long fencingToken, Reason reason) implements LockEvent {

	/**
	 * The way in which a loss was detected.
	 */
	public enum Reason {

		/**
		 * The local deadline passed: the lease expired, or its renewal came too late or
		 * was not answered by the server.
		 */
		EXPIRED,

		/**
		 * The server answered that this lease no longer holds the lock: the lock expired,
		 * was deleted, or was lost with the server's data.
		 */
		NOT_OWNED,

		/**
		 * The lock was held for {@link LockOptions#maxHold()}, so its renewal ended and
		 * the lease expired.
		 */
		MAX_HOLD,

		/**
		 * This instance shut down while the lock was held, and released it.
		 */
		SHUTDOWN,

		/**
		 * An operator {@linkplain io.lockable.engine.LockEngine#forceRelease released the
		 * lock by force} in this instance. After a forced release in another instance,
		 * the reason is {@link #NOT_OWNED}.
		 */
		FORCED

	}
}
