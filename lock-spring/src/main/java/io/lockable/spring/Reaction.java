package io.lockable.spring;

/**
 * The reaction to a problem found at startup.
 *
 * @since 0.1.0
 */
public enum Reaction {

	/**
	 * Ignores the problem.
	 */
	IGNORE,
	/**
	 * Logs a warning.
	 */
	WARN,
	/**
	 * Fails application startup.
	 */
	FAIL

}
