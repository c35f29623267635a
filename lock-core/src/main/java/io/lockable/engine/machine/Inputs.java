package io.lockable.engine.machine;

import java.time.Duration;

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
public record Inputs(Settings settings, long now, boolean subscribed, boolean notified, long orphans, double random) {

	/**
	 * Returns the random number of a range.
	 * @param origin the lower bound, inclusive
	 * @param bound the upper bound, exclusive
	 * @return the number
	 */
	long random(long origin, long bound) {
		return origin + (long) (this.random * (bound - origin));
	}

	/**
	 * The constant settings of a key.
	 *
	 * @param key the full name of the lock
	 * @param queueing whether the store has queues
	 * @param confirms whether a request must confirm a lock that the command of another
	 * request gave it
	 * @param ordered whether the server executes commands in the order in which they are
	 * sent
	 * @param recalls whether the store recalls retained locks
	 * @param recallTimeout the maximum time to wait for the answer to a recall
	 * @param commandTimeout the maximum time of a command
	 * @param lookInterval the maximum time for which a queued request may be silent, in
	 * nanoseconds
	 * @param downgrade whether a holder exchanges the exclusive lock for a share: it
	 * releases nothing, and waits only for the answer
	 */
	public record Settings(String key, boolean queueing, boolean confirms, boolean ordered, boolean recalls,
			Duration recallTimeout, Duration commandTimeout, long lookInterval, boolean downgrade) {

	}

}
