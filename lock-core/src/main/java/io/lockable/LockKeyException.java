package io.lockable;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the key of a lock is invalid: it is null or blank, or its expression fails.
 * No lock was acquired.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockKeyException extends LockException {

	/**
	 * Creates an exception.
	 * @param message the key or expression, and its correction
	 */
	public LockKeyException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message the key or expression, and its correction
	 * @param cause the cause, or {@code null}
	 */
	public LockKeyException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
