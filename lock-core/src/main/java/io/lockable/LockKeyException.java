package io.lockable;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the key of a lock cannot be built: it is null, blank, or its expression
 * fails. Nothing was acquired.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockKeyException extends LockException {

	/**
	 * Creates an exception.
	 * @param message which key or expression, and what to write instead
	 */
	public LockKeyException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message which key or expression, and what to write instead
	 * @param cause why, or {@code null}
	 */
	public LockKeyException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
