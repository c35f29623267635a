package io.lockable.spring.metadata;

import java.util.ArrayList;
import java.util.List;

/**
 * The parsed key of an annotation. Thread-safe.
 *
 * @param text the text of the annotation, for messages
 * @param parts the parts of the key
 */
record KeyTemplate(String text, List<AttributeText> parts) {

	/**
	 * The maximum number of keys of a call, because the content of a request may
	 * determine their number.
	 */
	static final int MAX_KEYS = 1_000;

	/**
	 * Builds the keys of one call.
	 * @param context the arguments of the call
	 * @return the keys; at least one, possibly with duplicates
	 * @throws InvalidExpressionException if a key is null, blank, or cannot be built, or
	 * if there are too many
	 */
	List<String> evaluate(ArgumentContext context) {
		boolean single = this.parts.size() == 1;
		List<String> keys = List.of("");
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

	static void checkCount(long count) {
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
		Iterable<?> elements = KeyExpression.elements(value);
		if (elements == null) {
			return List.of(KeyExpression.text(value, expression));
		}
		List<String> texts = new ArrayList<>();
		for (Object element : elements) {
			texts.add(KeyExpression.text(element, "%s[%d]".formatted(expression, texts.size())));
		}
		if (texts.isEmpty()) {
			throw new InvalidExpressionException(
					"'%s' is empty and names no lock; use a condition to run such a call without a lock"
						.formatted(expression));
		}
		return texts;
	}

}
