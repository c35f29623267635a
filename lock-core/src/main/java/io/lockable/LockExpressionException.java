package io.lockable;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when an annotation attribute that is computed for each call, such as a lease or
 * a condition, has an invalid value. No lock was acquired, and the method was not run.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockExpressionException extends LockException {

	/**
	 * Creates an exception with a cause.
	 * @param message the attribute, its method and the error in its value
	 * @param cause the cause, or {@code null}
	 */
	public LockExpressionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
