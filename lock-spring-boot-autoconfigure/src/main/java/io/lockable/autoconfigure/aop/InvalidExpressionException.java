package io.lockable.autoconfigure.aop;

import org.jspecify.annotations.Nullable;

/**
 * Says why a text cannot be a key.
 */
@SuppressWarnings("serial")
final class InvalidExpressionException extends RuntimeException {

	private final String problem;

	private final @Nullable String action;

	InvalidExpressionException(String problem) {
		this(problem, null, null);
	}

	InvalidExpressionException(String problem, String action) {
		this(problem, action, null);
	}

	InvalidExpressionException(String problem, Throwable cause) {
		this(problem, null, cause);
	}

	private InvalidExpressionException(String problem, @Nullable String action, @Nullable Throwable cause) {
		super(problem, cause);
		this.problem = problem;
		this.action = action;
	}

	/**
	 * Returns what is wrong, as the rest of a sentence that starts with the key.
	 * @return the problem
	 */
	String getProblem() {
		return this.problem;
	}

	/**
	 * Returns what to write instead.
	 * @return the action, or {@code null} if a template may be what was meant
	 */
	@Nullable String getAction() {
		return this.action;
	}

}
