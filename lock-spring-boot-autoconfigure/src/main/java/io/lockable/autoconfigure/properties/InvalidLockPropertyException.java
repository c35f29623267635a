package io.lockable.autoconfigure.properties;

import io.lockable.Internal;
import io.lockable.LogSafe;

/**
 * Says which property cannot be what it is, and what to set instead.
 */
@Internal
@SuppressWarnings("serial")
public final class InvalidLockPropertyException extends IllegalArgumentException {

	static final String PREFIX = "distributed-lock.";

	private final String property;

	private final String action;

	/**
	 * Creates an exception.
	 * @param property the name of the property, without what all start with
	 * @param problem what is wrong, as the rest of a sentence that starts with the name
	 * @param action what to set instead
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
