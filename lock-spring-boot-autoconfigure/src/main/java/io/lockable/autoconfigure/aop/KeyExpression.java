package io.lockable.autoconfigure.aop;

import java.util.ArrayList;
import java.util.List;

import io.lockable.LockKeyException;

/**
 * The parsed key of an annotation. Thread-safe.
 */
final class KeyExpression implements KeySource {

	private final String text;

	private final String method;

	private final List<KeyPart> parts;

	/**
	 * Creates a key.
	 * @param text what the annotation says, for messages
	 * @param method the annotated method, for messages
	 * @param parts the parts, in order
	 */
	KeyExpression(String text, String method, List<KeyPart> parts) {
		this.text = text;
		this.method = method;
		this.parts = List.copyOf(parts);
	}

	@Override
	public List<String> evaluate(String prefix, Object target, ArgumentContext context) {
		try {
			if (this.parts.size() == 1) {
				List<String> texts = this.parts.get(0).texts(context);
				refuseTooMany(texts.size());
				return (texts.size() == 1) ? List.of(prefix + texts.get(0))
						: texts.stream().map(prefix::concat).toList();
			}
			return combinations(prefix, context);
		}
		catch (InvalidValueException ex) {
			throw new LockKeyException(
					"No lock for %s: the key %s cannot be built, because %s. Nothing was locked, and the method was not run."
						.formatted(this.method, this.text, ex.getMessage()),
					ex.getCause());
		}
	}

	private List<String> combinations(String prefix, ArgumentContext context) {
		List<String> keys = List.of(prefix);
		String separator = "";
		for (KeyPart part : this.parts) {
			List<String> texts = part.texts(context);
			refuseTooMany((long) keys.size() * texts.size());
			List<String> longer = new ArrayList<>();
			for (String text : texts) {
				String escaped = escape(text);
				for (String key : keys) {
					longer.add(key + separator + escaped);
				}
			}
			keys = longer;
			separator = ":";
		}
		return keys;
	}

	private static void refuseTooMany(long count) {
		if (count > MAX_KEYS) {
			throw new InvalidValueException(
					"it evaluates to %d keys, above the limit of %d".formatted(count, MAX_KEYS));
		}
	}

	// Without this, ("a:b", "c") and ("a", "b:c") would be one key
	private static String escape(String text) {
		if (text.indexOf('%') < 0 && text.indexOf(':') < 0) {
			return text;
		}
		return text.replace("%", "%25").replace(":", "%3A");
	}

	@Override
	public String toString() {
		return this.text;
	}

}
