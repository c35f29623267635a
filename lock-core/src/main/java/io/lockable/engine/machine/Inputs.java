package io.lockable.engine.machine;

import io.lockable.Internal;

/**
 * What a step reads besides the state and the event: a snapshot of the rest of the
 * engine.
 *
 * @param settings the constant settings of the key
 * @param now the time
 * @param subscribed whether this instance receives the messages of grants, so that the
 * server may queue its requests
 * @param notified whether messages currently reach this instance, so that queued requests
 * need not poll, and a lock may be retained. A subscription alone does not ensure that
 * @param orphans identifies the owner tokens of failed acquisitions that may hold the
 * lock; changes with each answer, and is 0 without any
 * @param random a random number from 0, inclusive, to 1, exclusive
 */
@Internal
public record Inputs(KeySettings settings, long now, boolean subscribed, boolean notified, long orphans,
		double random) {

	/**
	 * Returns the random number of a range.
	 * @param origin the lower bound, inclusive
	 * @param bound the upper bound, exclusive
	 * @return the number
	 */
	long random(long origin, long bound) {
		return origin + (long) (this.random * (bound - origin));
	}

}
