package io.lockable.engine.queue;

import io.lockable.Internal;
import io.lockable.LockStoreException;
import io.lockable.store.Acquisition;

/**
 * The end of a command: a reply of the server, or a failure.
 */
@Internal
public sealed interface Answer {

	/**
	 * A reply of the server.
	 *
	 * @param acquisition the grant or refusal
	 */
	record Reply(Acquisition acquisition) implements Answer {

	}

	/**
	 * The command failed.
	 *
	 * @param failure the failure
	 * @param sent whether the server may have executed the command
	 */
	record Failed(LockStoreException failure, boolean sent) implements Answer {

	}

	/**
	 * The command was dropped before it was sent, because a batch could not be complete.
	 */
	record Dropped() implements Answer {

	}

}
