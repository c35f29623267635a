package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Says why a text of an annotation cannot work, as the rest of a sentence that starts
 * with the text.
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
	 * Returns the exception for an annotation whose text this is.
	 * @param method the annotated method
	 * @param subject the text, and what it is
	 * @param otherwise what to write instead, where this exception does not say it
	 * @return the exception
	 */
	InvalidDistributedLockableException on(Method method, String subject, String otherwise) {
		return InvalidDistributedLockableException.of(method, subject + " " + this.problem,
				(this.action != null) ? this.action : otherwise, getCause());
	}

	/**
	 * Returns what to write instead.
	 * @return the action, or {@code null} if the text alone does not tell
	 */
	@Nullable String getAction() {
		return this.action;
	}

}
