package io.lockable.autoconfigure.store;

import java.time.Duration;

import io.lockable.DurationText;
import io.lockable.LockStoreException;

/**
 * An exception at startup for a store that does not work, if the application requires it.
 */
@SuppressWarnings("serial")
final class UnreachableLockStoreException extends LockStoreException {

	/**
	 * Creates an exception.
	 * @param store the description of the store
	 * @param timeout the time limit of the check
	 * @param failure the reason of the failure
	 */
	UnreachableLockStoreException(String store, Duration timeout, String failure) {
		super("The store of distributed locks does not work. The check of %s, limited to %s, failed: %s."
			.formatted(store, DurationText.of(timeout), failure), null);
	}

}
