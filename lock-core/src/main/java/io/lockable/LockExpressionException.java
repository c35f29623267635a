package io.lockable;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when an attribute that an annotation computes for each call, such as a lease or
 * a condition, has no usable value for this one. Nothing was acquired, and the method was
 * not run.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockExpressionException extends LockException {

	/**
	 * Creates an exception.
	 * @param message which attribute of which method, and what is wrong with its value
	 */
	public LockExpressionException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message which attribute of which method, and what is wrong with its value
	 * @param cause why, or {@code null}
	 */
	public LockExpressionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
