package io.lockable.autoconfigure.aop;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;

/**
 * One part of the key of an annotation: a template, an expression or a literal.
 *
 * @param fragments what makes it up, in order
 */
record KeyPart(List<KeyFragment> fragments) {

	/**
	 * Returns the texts of this part for one call.
	 * @param context the arguments
	 * @return one text, or one for each element of an array or a collection
	 * @throws InvalidValueException if a value is null, blank or has no text
	 */
	List<String> texts(ArgumentContext context) {
		if (this.fragments.size() > 1) {
			StringBuilder text = new StringBuilder();
			for (KeyFragment fragment : this.fragments) {
				text.append(text(value(fragment, context), fragment));
			}
			return List.of(text.toString());
		}
		KeyFragment fragment = this.fragments.get(0);
		Object value = value(fragment, context);
		Iterable<?> elements = KeyValue.elements(value);
		return (elements != null) ? texts(elements, fragment) : List.of(text(value, fragment));
	}

	private static List<String> texts(Iterable<?> elements, KeyFragment fragment) {
		List<String> texts = new ArrayList<>();
		for (Object element : elements) {
			texts.add(text(element, "%s[%d]".formatted(fragment, texts.size())));
		}
		if (texts.isEmpty()) {
			throw new InvalidValueException(
					"'%s' is empty and names no lock; use a condition to run such a call without a lock"
						.formatted(fragment));
		}
		return texts;
	}

	private static @Nullable Object value(KeyFragment fragment, ArgumentContext context) {
		try {
			return fragment.value(context);
		}
		catch (InvalidValueException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new InvalidValueException("'%s' cannot be evaluated: %s".formatted(fragment, ex.getMessage()), ex);
		}
	}

	private static String text(@Nullable Object value, Object expression) {
		String text = KeyValue.toText(value, expression);
		if (text.isBlank() && !(expression instanceof KeyFragment.Literal)) {
			throw new InvalidValueException("'%s' is blank".formatted(expression));
		}
		return text;
	}

	@Override
	public String toString() {
		return ObjectUtils.nullSafeConciseToString(this.fragments);
	}

}
