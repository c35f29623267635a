package io.lockable.engine.queue;

import io.lockable.Internal;
import io.lockable.LockStoreException;

/**
 * The inputs of a step from the rest of the engine.
 */
@Internal
public interface KeyContext {

	/**
	 * Returns whether this instance receives the messages of grants.
	 * @return whether the server may queue its requests
	 */
	boolean isSubscribed();

	/**
	 * Returns whether messages currently reach this instance. A subscription alone does
	 * not ensure that.
	 * @return whether queued requests need not poll, and a lock may be retained
	 */
	boolean isNotified();

	/**
	 * Returns the owner tokens of failed acquisitions that may hold the lock.
	 * @return an id that changes with each answer, or 0 without any
	 */
	long orphans();

	/**
	 * Returns the time at which a command is overdue.
	 * @param sentAt the time at which it was sent
	 * @return the time
	 */
	long overdueAt(long sentAt);

	/**
	 * Returns a random number.
	 * @param origin the lower bound, inclusive
	 * @param bound the upper bound, exclusive
	 * @return the number
	 */
	long random(long origin, long bound);

	/**
	 * Returns the failure of a command that timed out.
	 * @return the failure
	 */
	LockStoreException noAnswer();

}
