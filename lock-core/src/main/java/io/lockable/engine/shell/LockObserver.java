package io.lockable.engine.shell;

import org.jspecify.annotations.Nullable;

/**
 * Observes the locks of an engine. Thread-safe; no method blocks.
 */
public interface LockObserver {

	/**
	 * Observes nothing.
	 */
	LockObserver NONE = new LockObserver() {
	};

	/**
	 * An acquisition has entered.
	 */
	default void entered() {
	}

	/**
	 * Returns the description of the holder of a lock for which a call has waited.
	 * @param key the full name of the lock
	 * @return the description, or {@code null} if it is not known
	 */
	default @Nullable String knownHolder(String key) {
		return null;
	}

	/**
	 * A message of another instance has arrived.
	 * @param message the message
	 */
	default void received(String message) {
	}

}
