package io.lockable.autoconfigure.aop;

import java.util.List;

import io.lockable.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationContext;

/**
 * The parsed key of an annotation: the parts that make it up, in order. Thread-safe.
 */
final class KeyExpression {

	private final String text;

	private final String method;

	private final ArgumentNames names;

	private final EvaluationContext shared;

	private final List<KeyPart> parts;

	KeyExpression(String text, String method, ArgumentNames names, EvaluationContext shared, List<KeyPart> parts) {
		this.text = text;
		this.method = method;
		this.names = names;
		this.shared = shared;
		this.parts = List.copyOf(parts);
	}

	/**
	 * Builds the key of one call.
	 * @param prefix what stands before it
	 * @param arguments the arguments of the call
	 * @return the full name of the lock
	 * @throws LockKeyException if a part is null, blank, or cannot be evaluated
	 */
	String evaluate(String prefix, @Nullable Object[] arguments) {
		ArgumentContext context = new ArgumentContext(this.shared, this.names, arguments);
		if (this.parts.size() == 1) {
			return prefix + evaluate(this.parts.get(0), context, arguments);
		}
		StringBuilder key = new StringBuilder(prefix);
		for (KeyPart part : this.parts) {
			key.append(evaluate(part, context, arguments));
		}
		return key.toString();
	}

	private String evaluate(KeyPart part, ArgumentContext context, @Nullable Object[] arguments) {
		String value;
		try {
			value = part.evaluate(context, arguments);
		}
		catch (InvalidKeyValueException ex) {
			throw new LockKeyException(message(ex.getMessage()));
		}
		catch (RuntimeException ex) {
			throw new LockKeyException(message("'%s' cannot be evaluated: %s".formatted(part, ex.getMessage())), ex);
		}
		if (value.isBlank() && !(part instanceof KeyPart.Literal)) {
			throw new LockKeyException(message("'%s' is blank".formatted(part)));
		}
		return value;
	}

	private String message(@Nullable String reason) {
		return "No lock for %s: the key '%s' cannot be built, because %s. Nothing was locked, and the method was not run."
			.formatted(this.method, this.text, reason);
	}

	@Override
	public String toString() {
		return this.text;
	}

}
