package io.lockable.engine.shell;

import io.lockable.LockEvent;

/**
 * A wait or a hold that is being recorded.
 */
interface Recording {

	/**
	 * Ends the recording, as an event of the current thread and with its stack. Without
	 * effect after the first call.
	 * @param caller the caller of the acquisition
	 * @param last the event that ends the wait or the hold
	 */
	void end(Caller caller, LockEvent last);

}
