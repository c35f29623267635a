package io.lockable.engine.machine;

import java.time.Duration;

import io.lockable.Internal;

/**
 * The constant settings of a key.
 *
 * @param key the full name of the lock
 * @param queueing whether the store has queues
 * @param confirms whether a request must confirm a lock that the command of another
 * request gave it
 * @param ordered whether the server executes commands in the order in which they are sent
 * @param recalls whether the store recalls retained locks
 * @param recallTimeout the maximum time to wait for the answer to a recall
 * @param commandTimeout the maximum time of a command
 * @param lookInterval the maximum time for which a queued request may be silent, in
 * nanoseconds
 * @param downgrade whether a holder exchanges the exclusive lock for a share: it releases
 * nothing, and waits only for the answer
 */
@Internal
public record KeySettings(String key, boolean queueing, boolean confirms, boolean ordered, boolean recalls,
		Duration recallTimeout, Duration commandTimeout, long lookInterval, boolean downgrade) {

}
