package io.lockable;

/**
 * A listener to the {@linkplain LockEvent events} of the locks of this instance. It is
 * notified of {@link LockLost}, {@link LockEvent.RenewalFailed} and
 * {@link LockEvent.ReleaseFailed}, and of all other events {@linkplain #listensToAll() on
 * request}. <pre class="code">
 * LockListener listener = (event) -&gt; {
 *     if (event instanceof LockLost lost) {
 *         alert(lost.key(), lost.reason());
 *     }
 * };
 * </pre>
 *
 * <p>
 * An engine thread that is dedicated to listeners delivers one event after the other. A
 * blocking listener delays other listeners, but never a lock. An exception of a listener
 * is logged and ignored. When 10,000 events wait for a blocking listener, further events
 * are dropped with a warning. When 5,000 events wait, only the three events above are
 * still delivered.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockListener {

	/**
	 * Handles an event.
	 * @param event the event
	 */
	void onEvent(LockEvent event);

	/**
	 * Returns whether the listener is notified of all events. This adds a cost to each
	 * acquisition; meters are cheaper for counts and times. Called once, when the engine
	 * is built.
	 * @return {@code false} by default: only {@link LockLost},
	 * {@link LockEvent.RenewalFailed} and {@link LockEvent.ReleaseFailed}
	 */
	default boolean listensToAll() {
		return false;
	}

}
