package io.lockable;

/**
 * Is told what goes wrong with the locks of this instance. What happens to each of them
 * in good times too is told to a {@link LockActivityListener}.
 *
 * <p>
 * Methods are called on a thread of the engine that serves listeners only, one event
 * after the other: a listener that blocks delays other listeners, never a lock. What a
 * listener throws is logged and ignored. When 10,000 events wait for a listener that
 * blocks, further ones are dropped with a WARN; when 5,000 do, only what goes wrong is
 * still told.
 *
 * @since 0.1.0
 */
public interface LockListener {

	/**
	 * A lease was lost: the local deadline passed, or the server said that the lock is
	 * not ours. Called once a lease.
	 * @param event which lock, and why
	 */
	default void lost(LockLost event) {
	}

	/**
	 * A renewal failed, because the store did. It is tried again until the lease has
	 * ended, and this is called each time.
	 * @param event which lock, and why
	 */
	default void renewalFailed(LockRenewalFailed event) {
	}

	/**
	 * A release failed, because the store did. It is tried again in the background until
	 * the lease has ended. Called once a lease.
	 * @param event which lock, and why
	 */
	default void releaseFailed(LockReleaseFailed event) {
	}

}
