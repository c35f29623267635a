package io.lockable.engine.machine;

/**
 * A violation that the exploration has found.
 */
@SuppressWarnings("serial")
final class Violation extends RuntimeException {

	Violation(String message) {
		super(message, null, false, false);
	}

	@SuppressWarnings("AnnotateFormatMethod")
	static void check(boolean condition, String message, Object... arguments) {
		if (!condition) {
			throw new Violation(message.formatted(arguments));
		}
	}

}
