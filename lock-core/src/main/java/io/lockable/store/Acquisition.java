package io.lockable.store;

import java.time.Duration;

import io.lockable.store.Inbox.Grant;

/**
 * The answer of a store to an acquisition: {@link Granted}, or {@link Refused} because
 * another owner holds the lock.
 *
 * @since 0.1.0
 */
public sealed interface Acquisition {

	/**
	 * The answer that the requesting owner holds the lock.
	 *
	 * <p>
	 * A store may reserve several consecutive fencing tokens at once, from
	 * {@code firstToken} to {@code lastToken}. The engine assigns the others to
	 * successors within its instance while the instance holds the lock. The answer to a
	 * repeated command of the same owner ends with the same token, and may omit some of
	 * the first tokens. The answer to a {@linkplain QueueingLockStore#transfer transfer}
	 * may begin with tokens that the instance already has.
	 *
	 * @param firstToken the fencing token of this acquisition, positive
	 * @param lastToken the last token reserved with it, at least {@code firstToken}
	 * @param othersWaiting whether waiters of other instances are queued
	 * @param serverMicros the backend's clock in microseconds, 0 if it reports no time
	 */
	record Granted(long firstToken, long lastToken, boolean othersWaiting, long serverMicros) implements Acquisition {

		/**
		 * Validates the tokens.
		 * @throws IllegalArgumentException if a token is not positive, or the last one is
		 * smaller than the first
		 */
		public Granted {
			if (firstToken <= 0 || lastToken < firstToken) {
				throw new IllegalArgumentException(
						"'firstToken' must be positive and not above 'lastToken', was %d to %d".formatted(firstToken,
								lastToken));
			}
		}

		/**
		 * Creates the answer of a store that reserves no tokens and reports no time.
		 * @param fencingToken the fencing token of this acquisition, positive
		 */
		public Granted(long fencingToken) {
			this(fencingToken, fencingToken, false, 0);
		}

	}

	/**
	 * The answer that another owner holds the lock.
	 *
	 * @param remaining the rest of the holder's lease without renewal, after which
	 * waiters poll again
	 * @param lastToken the last fencing token that the backend has reserved for the lock,
	 * 0 if it reports none: a {@link Grant} with greater tokens is later than this answer
	 * @param recalled whether the holder is recallable ({@link RecallingLockStore}); a
	 * command that queues the owner has recalled the lock
	 */
	record Refused(Duration remaining, long lastToken, boolean recalled) implements Acquisition {

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
		 * @param lastToken the last fencing token that the backend has reserved for the
		 * lock, 0 if it reports none
		 */
		public Refused(Duration remaining, long lastToken) {
			this(remaining, lastToken, false);
		}

	}

}
