package io.lockable.spring.expression;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

/**
 * Thrown because a text of an annotation cannot work. The message is the rest of a
 * sentence that starts with the text.
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

	InvalidExpressionException(String problem, Throwable cause) {
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
