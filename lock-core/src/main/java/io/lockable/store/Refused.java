package io.lockable.store;

import java.time.Duration;

/**
 * Somebody else holds the lock.
 *
 * @param remaining how long the holder's lease lives without renewal: waiters look again
 * then
 * @param serverMicros the backend's clock in microseconds, 0 if it does not tell
 * @since 0.1.0
 */
public record Refused(Duration remaining, long serverMicros) implements Acquisition {

	/**
	 * Creates the answer of a store that tells no time.
	 * @param remaining how long the holder's lease lives without renewal
	 */
	public Refused(Duration remaining) {
		this(remaining, 0);
	}

}
