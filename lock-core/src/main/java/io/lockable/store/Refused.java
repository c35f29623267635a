package io.lockable.store;

import java.time.Duration;

/**
 * The answer that another owner holds the lock.
 *
 * @param remaining the rest of the holder's lease without renewal, after which waiters
 * poll again
 * @param lastToken the last fencing token that the backend has reserved for the lock, 0
 * if it reports none: a {@link Grant} with greater tokens is later than this answer
 * @param recalled whether the holder is recallable ({@link RecallingLockStore}); a
 * command that queues the owner has recalled the lock
 * @since 0.1.0
 */
public record Refused(Duration remaining, long lastToken, boolean recalled) implements Acquisition {

	/**
	 * Creates the answer of a store that does not report the last token.
	 * @param remaining the rest of the holder's lease without renewal
	 */
	public Refused(Duration remaining) {
		this(remaining, 0);
	}

	/**
	 * Creates the answer of a store whose holder is not recalled.
	 * @param remaining the rest of the holder's lease without renewal
	 * @param lastToken the last fencing token that the backend has reserved for the lock,
	 * 0 if it reports none
	 */
	public Refused(Duration remaining, long lastToken) {
		this(remaining, lastToken, false);
	}

}
