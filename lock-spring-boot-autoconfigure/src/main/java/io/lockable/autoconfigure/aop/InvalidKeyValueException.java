package io.lockable.autoconfigure.aop;

/**
 * Says why a value cannot be part of a key.
 */
@SuppressWarnings("serial")
final class InvalidKeyValueException extends RuntimeException {

	InvalidKeyValueException(String reason) {
		super(reason, null, false, false);
	}

}
