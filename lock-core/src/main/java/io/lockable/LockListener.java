package io.lockable;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A listener to the {@linkplain LockEvent events} of the locks of this instance. It is
 * notified of failures ({@link LockLost}, {@link LockEvent.RenewalFailed},
 * {@link LockEvent.ReleaseFailed}, {@link LockEvent.Deadlocked}), and of all other events
 * {@linkplain #listensToAll() on request}. <pre class="code">
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
 * are dropped with a warning. When 5,000 events wait, only failures are still delivered.
 *
 * <p>
 * Meters and traces need each event at once. A listener can therefore also
 * {@linkplain #acquiring follow} each acquisition on the threads that cause its events.
 *
 * <p>
 * Implementations are thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockListener {

	/**
	 * Handles an event on the thread of the listeners.
	 * @param event the event
	 */
	void onEvent(LockEvent event);

	/**
	 * Returns whether {@link #onEvent} is called for all events. This adds a cost to each
	 * acquisition; meters are cheaper for counts and times. Called once, when the engine
	 * is built.
	 * @return {@code false} by default: only failures
	 */
	default boolean listensToAll() {
		return false;
	}

	/**
	 * Starts to follow an acquisition, on the calling thread, before a command is sent.
	 * For an asynchronous acquisition of several keys, this is an engine thread. A
	 * reentrant acquisition is not followed.
	 *
	 * <p>
	 * This method and the consumer are called on the threads that acquire, release and
	 * answer. They must return quickly and never block.
	 * @param key the full name of the lock
	 * @param owner the owner token, which proves ownership to the store; never export it
	 * whole
	 * @param options the options, with the name; of several keys that one command
	 * acquires, those of the call
	 * @return a consumer of all ordered events of this acquisition, on any thread, which
	 * receives the outcome before the call returns; {@code null}, the default, to not
	 * follow the acquisition
	 */
	default @Nullable Consumer<LockEvent> acquiring(String key, String owner, LockOptions options) {
		return null;
	}

}
