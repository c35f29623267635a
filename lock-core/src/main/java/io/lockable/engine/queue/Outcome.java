package io.lockable.engine.queue;

import io.lockable.Internal;
import io.lockable.LockException;

/**
 * How a request ends that does not get the lock.
 */
@Internal
public sealed interface Outcome {

	/**
	 * Another owner holds the lock.
	 */
	record Refused() implements Outcome {

	}

	/**
	 * A batch could not ask for this key: its caller asks for one key after the other.
	 */
	record RetryAlone() implements Outcome {

	}

	/**
	 * The caller does not want the lock any more.
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
