package io.lockable.store;

import java.time.Duration;

/**
 * The answer that another owner holds the lock.
 *
 * @param remaining the rest of the holder's lease without renewal, after which waiters
 * poll again
 * @param serverMicros the backend's clock in microseconds, 0 if it reports no time
 * @param recalled whether the holder is recallable ({@link RecallingLockStore}); a
 * command that queues the owner has recalled the lock
 * @since 0.1.0
 */
public record Refused(Duration remaining, long serverMicros, boolean recalled) implements Acquisition {

	/**
	 * Creates the answer of a store that reports no time.
	 * @param remaining the rest of the holder's lease without renewal
	 */
	public Refused(Duration remaining) {
		this(remaining, 0);
	}

	/**
	 * Creates the answer of a store whose holder is not recalled.
	 * @param remaining the rest of the holder's lease without renewal
	 * @param serverMicros the backend's clock in microseconds, 0 if it reports no time
	 */
	public Refused(Duration remaining, long serverMicros) {
		this(remaining, serverMicros, false);
	}

}
