package io.lockable.autoconfigure.properties;

import io.lockable.Internal;
import io.lockable.LogSafe;

/**
 * An exception for an invalid property value. It names the property and a valid value.
 */
@Internal
@SuppressWarnings("serial")
public final class InvalidLockPropertyException extends IllegalArgumentException {

	static final String PREFIX = "distributed-lock.";

	private final String property;

	private final String action;

	/**
	 * Creates an exception.
	 * @param property the name of the property, without the common prefix
	 * @param problem the problem, as the rest of a sentence that starts with the name
	 * @param action the correction
	 */
	public InvalidLockPropertyException(String property, String problem, String action) {
		super(LogSafe.of("'%s%s' %s".formatted(PREFIX, property, problem)));
		this.property = PREFIX + property;
		this.action = action;
	}

	String getProperty() {
		return this.property;
	}

	String getAction() {
		return this.action;
	}

}
