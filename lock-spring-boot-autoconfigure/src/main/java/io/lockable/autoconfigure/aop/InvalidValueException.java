package io.lockable.autoconfigure.aop;

import org.jspecify.annotations.Nullable;

/**
 * Says why a value cannot be used, in words that fit behind "because".
 */
@SuppressWarnings("serial")
final class InvalidValueException extends RuntimeException {

	InvalidValueException(String reason) {
		this(reason, null);
	}

	InvalidValueException(String reason, @Nullable Throwable cause) {
		super(reason, cause, false, false);
	}

}
