package io.lockable.spring;

/**
 * The reaction to a problem that is found at startup.
 *
 * @since 0.1.0
 */
public enum Reaction {

	/**
	 * Nothing happens.
	 */
	IGNORE,
	/**
	 * A warning is logged.
	 */
	WARN,
	/**
	 * The application fails to start.
	 */
	FAIL

}
