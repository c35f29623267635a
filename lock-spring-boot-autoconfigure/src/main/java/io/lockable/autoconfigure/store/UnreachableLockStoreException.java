package io.lockable.autoconfigure.store;

import java.time.Duration;

import io.lockable.DurationText;
import io.lockable.LockStoreException;

/**
 * Thrown when the application starts, its store does not work, and it is not to start
 * without.
 */
@SuppressWarnings("serial")
final class UnreachableLockStoreException extends LockStoreException {

	/**
	 * Creates an exception.
	 * @param store which store does not work
	 * @param timeout how long it may take to answer
	 * @param failure why it does not work
	 */
	UnreachableLockStoreException(String store, Duration timeout, String failure) {
		super("The store of distributed locks does not work. The check of %s, limited to %s, failed: %s."
			.formatted(store, DurationText.of(timeout), failure), null);
	}

}
