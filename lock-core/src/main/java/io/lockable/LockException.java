package io.lockable;

import org.jspecify.annotations.Nullable;

/**
 * The root of what a lock may throw. Contention, a failing store and a lost lease are
 * three different outcomes, and three different subclasses.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockException extends RuntimeException {

	/**
	 * Creates an exception.
	 * @param message what failed, which lock, and what to do; control characters are
	 * escaped, as keys may have parts that users choose
	 */
	public LockException(String message) {
		super(onOneLine(message));
	}

	/**
	 * Creates an exception with a cause.
	 * @param message what failed, which lock, and what to do; control characters are
	 * escaped, as keys may have parts that users choose
	 * @param cause why, or {@code null}; a copy with escaped messages takes the place of
	 * one whose messages have control characters
	 */
	public LockException(String message, @Nullable Throwable cause) {
		super(onOneLine(message), (cause != null) ? LogSafe.of(cause) : null);
	}

	private static @Nullable String onOneLine(@Nullable String message) {
		return (message != null) ? LogSafe.of(message) : null;
	}

}
