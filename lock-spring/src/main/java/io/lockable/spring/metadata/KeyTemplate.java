package io.lockable.spring.metadata;

import java.util.ArrayList;
import java.util.List;

import io.lockable.LockKeyException;
import org.jspecify.annotations.Nullable;

/**
 * The parsed key of an annotation. Thread-safe.
 *
 * @param text the text of the annotation, for messages
 * @param method the annotated method, for messages
 * @param parts the parts of the key
 */
record KeyTemplate(String text, String method, List<AttributeText> parts) {

	/**
	 * The maximum number of keys of a call, because the content of a request may
	 * determine their number.
	 */
	static final int MAX_KEYS = 1_000;

	/**
	 * Builds the keys of one call.
	 * @param prefix the prefix of each key
	 * @param context the arguments of the call
	 * @return the full names of the locks; at least one, possibly with duplicates
	 * @throws LockKeyException if a key is null, blank, or cannot be built, or if there
	 * are too many
	 */
	List<String> evaluate(String prefix, ArgumentContext context) {
		try {
			boolean single = this.parts.size() == 1;
			List<String> keys = List.of(prefix);
			String separator = "";
			for (AttributeText part : this.parts) {
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
	private static List<String> texts(AttributeText part, ArgumentContext context) {
		Object value = part.value(context);
		String expression = part.fragments().get(0).getExpressionString();
		Iterable<?> elements = KeyValue.elements(value);
		if (elements == null) {
			return List.of(KeyValue.text(value, expression));
		}
		List<String> texts = new ArrayList<>();
		for (Object element : elements) {
			texts.add(KeyValue.text(element, "%s[%d]".formatted(expression, texts.size())));
		}
		if (texts.isEmpty()) {
			throw new InvalidExpressionException(
					"'%s' is empty and names no lock; use a condition to run such a call without a lock"
						.formatted(expression));
		}
		return texts;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
