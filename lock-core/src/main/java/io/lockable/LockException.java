package io.lockable;

import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;

/**
 * The base class of the exceptions that locks throw. Contention, a failing store and a
 * lost lease have separate subclasses.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockException extends RuntimeException {

	/**
	 * Creates an exception.
	 * @param message the failure, the lock and the remedy; control characters are
	 * escaped, because keys may contain user input
	 */
	public LockException(String message) {
		super(onOneLine(message));
	}

	/**
	 * Creates an exception with a cause.
	 * @param message the failure, the lock and the remedy; control characters are
	 * escaped, because keys may contain user input
	 * @param cause the cause, or {@code null}; a cause with control characters in its
	 * messages is replaced by an escaped copy
	 */
	public LockException(String message, @Nullable Throwable cause) {
		super(onOneLine(message), (cause != null) ? LogSafe.of(cause) : null);
	}

	private static @Nullable String onOneLine(@Nullable String message) {
		return (message != null) ? LogSafe.of(message) : null;
	}

}
