package io.lockable.spring.expression;

import java.util.ArrayList;
import java.util.List;

import io.lockable.Internal;
import io.lockable.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.Expression;
import org.springframework.expression.common.LiteralExpression;

/**
 * The parsed key of an annotation. Thread-safe.
 *
 * @param text the text of the annotation, for messages
 * @param method the annotated method, for messages
 * @param parts the parts of the key, each of which is a template (several expressions),
 * an expression or a literal
 */
@Internal
public record KeyTemplate(String text, String method, List<List<Expression>> parts) {

	/**
	 * The maximum number of keys of a call, because the content of a request may
	 * determine their number.
	 */
	public static final int MAX_KEYS = 1_000;

	/**
	 * Builds the keys of one call.
	 * @param prefix the prefix of each key
	 * @param context the arguments of the call
	 * @return the full names of the locks; at least one, possibly with duplicates
	 * @throws LockKeyException if a key is null, blank, or cannot be built, or if there
	 * are too many
	 */
	public List<String> evaluate(String prefix, ArgumentContext context) {
		try {
			boolean single = this.parts.size() == 1;
			List<String> keys = List.of(prefix);
			String separator = "";
			for (List<Expression> part : this.parts) {
				List<String> texts = texts(part, context);
				checkCount((long) keys.size() * texts.size());
				List<String> longer = new ArrayList<>();
				for (String each : texts) {
					String end = separator + (single ? each : escape(each));
					keys.forEach((key) -> longer.add(key + end));
				}
				keys = longer;
				separator = ":";
			}
			return keys;
		}
		catch (InvalidExpressionException ex) {
			throw failure(String.valueOf(ex.getMessage()), ex.getCause());
		}
		catch (RuntimeException ex) {
			// Thrown by toString() of an argument, or by its iterator
			throw failure("it cannot be made a text: " + ex, ex);
		}
	}

	private LockKeyException failure(String reason, @Nullable Throwable cause) {
		return new LockKeyException(
				"No lock for %s: the key %s cannot be built, because %s. Nothing was locked, and the method was not run."
					.formatted(this.method, this.text, reason),
				cause);
	}

	private static void checkCount(long count) {
		if (count > MAX_KEYS) {
			throw new InvalidExpressionException(
					"it evaluates to %d keys, above the limit of %d".formatted(count, MAX_KEYS));
		}
	}

	// Without escapes, ("a:b", "c") and ("a", "b:c") would be one key
	private static String escape(String text) {
		return text.replace("%", "%25").replace(":", "%3A");
	}

	/**
	 * Returns the texts of a part: one, or one for each element of an array or a
	 * collection.
	 */
	private static List<String> texts(List<Expression> part, ArgumentContext context) {
		if (part.size() > 1) {
			StringBuilder text = new StringBuilder();
			for (Expression expression : part) {
				text.append((expression instanceof LiteralExpression) ? expression.getExpressionString()
						: text(value(expression, context), expression.getExpressionString()));
			}
			return List.of(text.toString());
		}
		Expression expression = part.get(0);
		Object value = value(expression, context);
		Iterable<?> elements = KeyValue.elements(value);
		return (elements != null) ? texts(elements, expression.getExpressionString())
				: List.of(text(value, expression.getExpressionString()));
	}

	private static List<String> texts(Iterable<?> elements, String expression) {
		List<String> texts = new ArrayList<>();
		for (Object element : elements) {
			texts.add(text(element, "%s[%d]".formatted(expression, texts.size())));
		}
		if (texts.isEmpty()) {
			throw new InvalidExpressionException(
					"'%s' is empty and names no lock; use a condition to run such a call without a lock"
						.formatted(expression));
		}
		return texts;
	}

	private static @Nullable Object value(Expression expression, ArgumentContext context) {
		try {
			return KeyValue.of(expression, context);
		}
		catch (InvalidExpressionException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new InvalidExpressionException(
					"'%s' cannot be evaluated: %s".formatted(expression.getExpressionString(), ex.getMessage()), ex);
		}
	}

	private static String text(@Nullable Object value, String expression) {
		String text = KeyValue.toText(value, expression);
		if (text.isBlank()) {
			throw new InvalidExpressionException("'%s' is blank".formatted(expression));
		}
		return text;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
