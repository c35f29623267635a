package io.lockable.engine.machine;

import io.lockable.Internal;
import io.lockable.LockException;

/**
 * The outcome of a request without the lock.
 */
@Internal
public sealed interface Outcome {

	/**
	 * Another owner holds the lock.
	 */
	record Refused() implements Outcome {

	}

	/**
	 * A batch could not request this key: its caller requests one key after the other.
	 */
	record RetryAlone() implements Outcome {

	}

	/**
	 * The caller cancelled the request.
	 */
	record Cancelled() implements Outcome {

	}

	/**
	 * The store failed, or the engine shuts down.
	 *
	 * @param failure the failure
	 */
	record Failed(LockException failure) implements Outcome {

	}

}
