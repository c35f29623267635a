package io.lockable.spring.expression;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

/**
 * Says why a value cannot be used, in words that fit behind "because".
 */
@Internal
@SuppressWarnings("serial")
public final class InvalidValueException extends RuntimeException {

	/**
	 * Creates an exception.
	 * @param reason why the value cannot be used
	 */
	public InvalidValueException(String reason) {
		this(reason, null);
	}

	/**
	 * Creates an exception.
	 * @param reason why the value cannot be used
	 * @param cause the cause, or {@code null}
	 */
	public InvalidValueException(String reason, @Nullable Throwable cause) {
		super(reason, cause, false, false);
	}

}
