package io.lockable.store;

/**
 * The lock was given to the owner who asked.
 *
 * <p>
 * A store may reserve several fencing tokens at once, the consecutive ones from
 * {@code firstToken} to {@code lastToken}: the engine hands the others to successors
 * within its instance, for as long as the instance holds the lock. The answer to an owner
 * that asks again ends with the same token, and may leave out some of the first tokens.
 * That to a {@linkplain QueueingLockStore#transfer transfer} may begin with tokens that
 * the instance has already.
 *
 * @param firstToken the fencing token of this acquisition, positive
 * @param lastToken the last token reserved with it, at least {@code firstToken}
 * @param othersWaiting whether waiters of other instances are queued
 * @param serverMicros the backend's clock in microseconds, 0 if it does not tell
 * @since 0.1.0
 */
public record Granted(long firstToken, long lastToken, boolean othersWaiting,
		long serverMicros) implements Acquisition {

	/**
	 * Validates the tokens.
	 * @throws IllegalArgumentException if a token is not positive, or the last is smaller
	 * than the first
	 */
	public Granted {
		if (firstToken <= 0 || lastToken < firstToken) {
			throw new IllegalArgumentException("'firstToken' must be positive and not above 'lastToken', was %d to %d"
				.formatted(firstToken, lastToken));
		}
	}

	/**
	 * Creates the answer of a store that reserves no tokens and tells no time.
	 * @param fencingToken the fencing token of this acquisition, positive
	 */
	public Granted(long fencingToken) {
		this(fencingToken, fencingToken, false, 0);
	}

}
