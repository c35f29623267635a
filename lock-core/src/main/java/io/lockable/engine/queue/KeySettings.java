package io.lockable.engine.queue;

import java.time.Duration;

import io.lockable.Internal;

/**
 * What never changes about a key.
 *
 * @param key the full name of the lock
 * @param queueing whether the store has queues
 * @param confirms whether a request must ask again before it enters on what the command
 * of another request gave it
 * @param ordered whether the server executes commands in the order in which they are sent
 * @param recalls whether the store asks an instance for a lock that it may retain
 * @param recallTimeout how long to wait for the answer of that instance
 * @param commandTimeout how long a command may take
 * @param lookInterval how long a queued request may be silent, in nanoseconds
 * @param downgrade whether a holder exchanges all of the lock for a share: it frees
 * nothing, and waits for the answer only
 */
@Internal
public record KeySettings(String key, boolean queueing, boolean confirms, boolean ordered, boolean recalls,
		Duration recallTimeout, Duration commandTimeout, long lookInterval, boolean downgrade) {

}
