package io.lockable;

/**
 * Is told what becomes of the locks of this instance.
 *
 * <p>
 * Methods are called on a thread of the engine that serves listeners only, one event
 * after the other: a listener that blocks delays other listeners, never a lock. What a
 * listener throws is logged and ignored.
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

}
