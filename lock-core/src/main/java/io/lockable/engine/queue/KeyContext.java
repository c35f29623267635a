package io.lockable.engine.queue;

import io.lockable.Internal;
import io.lockable.LockStoreException;

/**
 * What a step reads of the rest of the engine.
 */
@Internal
public interface KeyContext {

	/**
	 * Returns whether this instance receives the messages of grants.
	 * @return whether the server may queue its requests
	 */
	boolean isSubscribed();

	/**
	 * Returns which owner tokens of failed acquisitions may hold the lock.
	 * @return an id that changes with each answer, or 0 without any
	 */
	long orphans();

	/**
	 * Returns when a command is overdue.
	 * @param sentAt when it was sent
	 * @return the time
	 */
	long overdueAt(long sentAt);

	/**
	 * Returns a random number.
	 * @param origin the least
	 * @param bound the least that is too large
	 * @return the number
	 */
	long random(long origin, long bound);

	/**
	 * Returns the failure of a command that the server did not answer in time.
	 * @return the failure
	 */
	LockStoreException noAnswer();

}
