package io.lockable.spring.metadata;

import org.jspecify.annotations.Nullable;

/**
 * An exception for an annotation, a text of it, or its value in a call, that cannot work.
 * The message is a part of a sentence. It either continues a sentence that begins with
 * the text, or gives the reason for a missing lock.
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
	 * @param action the correction, or {@code null}
	 * @param cause the cause, or {@code null}
	 */
	InvalidExpressionException(String problem, @Nullable String action, @Nullable Throwable cause) {
		super(problem, cause);
		this.action = action;
	}

	/**
	 * Throws an exception if a text cannot work.
	 * @param invalid whether it cannot work
	 * @param problem the reason
	 * @param action the correction, or {@code null}
	 */
	static void throwIf(boolean invalid, String problem, @Nullable String action) {
		if (invalid) {
			throw new InvalidExpressionException(problem, action, null);
		}
	}

	/**
	 * Returns the exception with the subject of its sentence.
	 * @param subject the text, and its role
	 * @param otherwise the correction, unless this exception names one
	 * @return the exception
	 */
	InvalidExpressionException about(String subject, String otherwise) {
		return new InvalidExpressionException(subject + " " + getMessage(),
				(this.action != null) ? this.action : otherwise, getCause());
	}

	/**
	 * Returns the correction.
	 * @return the action, or {@code null} if the text alone does not determine it
	 */
	@Nullable String getAction() {
		return this.action;
	}

}
