package io.lockable.sample;

/**
 * The stock has seen a larger fencing token, so another purchase has the lock.
 */
class StaleTokenException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	StaleTokenException(String item, long token) {
		super("Stock of '%s' refuses the stale fencing token %d".formatted(item, token));
	}

}
