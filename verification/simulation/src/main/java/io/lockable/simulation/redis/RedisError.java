package io.lockable.simulation.redis;

/**
 * An error reply of the server. The first word of the message is its code.
 */
@SuppressWarnings("serial")
public final class RedisError extends RuntimeException {

	static final String WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";

	static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";

	static final String NO_SCRIPT = "NOSCRIPT No matching script. Please use EVAL.";

	/**
	 * Creates an error.
	 * @param message the text of the reply
	 */
	public RedisError(String message) {
		super(message, null, false, false);
	}

	/**
	 * Returns the text of the reply.
	 * @return the text
	 */
	public String text() {
		return String.valueOf(getMessage());
	}

}
