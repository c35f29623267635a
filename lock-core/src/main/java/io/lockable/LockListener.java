package io.lockable;

/**
 * Is notified of the {@linkplain LockEvent events} of the locks of this instance: of
 * {@link LockLost}, {@link LockRenewalFailed} and {@link LockReleaseFailed}, and of all
 * others if it {@linkplain #listensToAll() asks for them}.
 *
 * <pre class="code">
 * LockListener listener = (event) -&gt; {
 *     if (event instanceof LockLost lost) {
 *         alert(lost.key(), lost.reason());
 *     }
 * };
 * </pre>
 *
 * <p>
 * Listeners are called on a thread of the engine that serves listeners only, one event
 * after the other: a listener that blocks delays other listeners, never a lock. What a
 * listener throws is logged and ignored. When 10,000 events wait for a listener that
 * blocks, further ones are dropped with a WARN; when 5,000 do, only the three above are
 * still delivered.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockListener {

	/**
	 * Something happened to a lock.
	 * @param event what happened to which lock
	 */
	void onEvent(LockEvent event);

	/**
	 * Returns whether the listener is notified of every event. Then each acquisition
	 * costs some; to count and to time, meters are cheaper. Called once, when the engine
	 * is built.
	 * @return {@code false} by default: only of {@link LockLost},
	 * {@link LockRenewalFailed} and {@link LockReleaseFailed}
	 */
	default boolean listensToAll() {
		return false;
	}

}
