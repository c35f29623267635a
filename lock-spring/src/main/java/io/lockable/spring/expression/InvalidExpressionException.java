package io.lockable.spring.expression;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

/**
 * Thrown because a text of an annotation cannot work, or its value for a call. The
 * message is a part of a sentence: the rest of one that starts with the text, or the
 * reason why there is no lock.
 */
@Internal
@SuppressWarnings("serial")
public final class InvalidExpressionException extends RuntimeException {

	private final @Nullable String action;

	/**
	 * Creates an exception.
	 * @param problem why the text cannot work
	 */
	public InvalidExpressionException(String problem) {
		this(problem, null, null);
	}

	/**
	 * Creates an exception.
	 * @param problem why the text cannot work
	 * @param action what to write instead
	 */
	public InvalidExpressionException(String problem, String action) {
		this(problem, action, null);
	}

	/**
	 * Creates an exception.
	 * @param problem why the text cannot work
	 * @param cause the cause
	 */
	public InvalidExpressionException(String problem, Throwable cause) {
		this(problem, null, cause);
	}

	InvalidExpressionException(String problem, @Nullable String action, @Nullable Throwable cause) {
		super(problem, cause);
		this.action = action;
	}

	/**
	 * Returns what to write instead.
	 * @return the action, or {@code null} if the text alone does not show it
	 */
	public @Nullable String getAction() {
		return this.action;
	}

}
