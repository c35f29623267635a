package io.lockable;

/**
 * Is told of everything that happens to the locks of this instance, under the same rules
 * as a {@link LockListener}. Each acquisition costs such a listener's thread some events;
 * to count and to time, meters are cheaper.
 *
 * <p>
 * Entering again what a thread holds already is no event. What is told of one acquisition
 * comes in its order, so no loss before it; of different ones, in that in which it became
 * known.
 *
 * @since 0.1.0
 */
public interface LockActivityListener extends LockListener {

	/**
	 * A lock was acquired.
	 * @param event which lock, and after how long
	 */
	default void acquired(LockAcquired event) {
	}

	/**
	 * A lock was not acquired, because somebody else held it until the wait was over.
	 * @param event which lock, and after how long
	 */
	default void refused(LockRefused event) {
	}

	/**
	 * A lock was not acquired, because the store failed or the engine shut down.
	 * @param event which lock, and why
	 */
	default void failed(LockFailed event) {
	}

	/**
	 * A lease was released by its holder.
	 * @param event which lock, and whether it was still ours
	 */
	default void released(LockReleased event) {
	}

}
