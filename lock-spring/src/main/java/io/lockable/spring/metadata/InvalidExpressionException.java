package io.lockable.spring.metadata;

import org.jspecify.annotations.Nullable;

/**
 * An exception for a text of an annotation, or its value in a call, that cannot work. The
 * message is a part of a sentence. It either continues a sentence that begins with the
 * text, or gives the reason for a missing lock.
 */
@SuppressWarnings("serial")
final class InvalidExpressionException extends RuntimeException {

	private final @Nullable String action;

	/**
	 * Creates an exception.
	 * @param problem the reason why the text cannot work
	 */
	InvalidExpressionException(String problem) {
		this(problem, null, null);
	}

	/**
	 * Creates an exception.
	 * @param problem the reason why the text cannot work
	 * @param action the correction
	 */
	InvalidExpressionException(String problem, String action) {
		this(problem, action, null);
	}

	/**
	 * Creates an exception.
	 * @param problem the reason why the text cannot work
	 * @param cause the cause
	 */
	InvalidExpressionException(String problem, Throwable cause) {
		this(problem, null, cause);
	}

	/**
	 * Creates an exception.
	 * @param problem the reason why the text cannot work
	 * @param action the correction, or {@code null}
	 * @param cause the cause, or {@code null}
	 */
	InvalidExpressionException(String problem, @Nullable String action, @Nullable Throwable cause) {
		super(problem, cause);
		this.action = action;
	}

	/**
	 * Returns the correction.
	 * @return the action, or {@code null} if the text alone does not determine it
	 */
	@Nullable String getAction() {
		return this.action;
	}

}
