package io.lockable.store;

import java.time.Duration;

/**
 * Another owner holds the lock.
 *
 * @param remaining how long the holder's lease lives without renewal: waiters look again
 * then
 * @param serverMicros the backend's clock in microseconds, 0 if it does not tell
 * @param recalled whether the holder can be asked for the lock
 * ({@link RecallingLockStore}): a command that queues the owner has asked it
 * @since 0.1.0
 */
public record Refused(Duration remaining, long serverMicros, boolean recalled) implements Acquisition {

	/**
	 * Creates the answer of a store that tells no time.
	 * @param remaining how long the holder's lease lives without renewal
	 */
	public Refused(Duration remaining) {
		this(remaining, 0);
	}

	/**
	 * Creates the answer of a store whose holder is not asked for the lock.
	 * @param remaining how long the holder's lease lives without renewal
	 * @param serverMicros the backend's clock in microseconds, 0 if it does not tell
	 */
	public Refused(Duration remaining, long serverMicros) {
		this(remaining, serverMicros, false);
	}

}
