package io.lockable.autoconfigure.aop;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;

/**
 * Turns a value into the text that stands for it in a key. The same value must give the
 * same text on every instance, so what has no such text is refused.
 */
final class KeyValue {

	private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			try {
				return !type.isArray() && type.getMethod("toString").getDeclaringClass() != Object.class;
			}
			catch (NoSuchMethodException ex) {
				return false;
			}
		}

	};

	private KeyValue() {
	}

	/**
	 * Returns the elements of a value that has several. Arrays of bytes and characters
	 * are one value, though one without a text.
	 * @param value the value
	 * @return its elements, or {@code null} if it is a single value
	 */
	static @Nullable Iterable<?> elements(@Nullable Object value) {
		if (value instanceof Collection<?> collection) {
			return collection;
		}
		if (value instanceof Optional<?> optional) {
			return elements(optional.orElse(null));
		}
		if (value != null && value.getClass().isArray() && !(value instanceof byte[]) && !(value instanceof char[])) {
			return Arrays.asList(ObjectUtils.toObjectArray(value));
		}
		return null;
	}

	static String toText(@Nullable Object value, Object expression) {
		if (value instanceof String text) {
			return text;
		}
		if (value instanceof Optional<?> optional) {
			return toText(optional.orElse(null), expression);
		}
		if (value == null) {
			throw new InvalidValueException("'%s' is null".formatted(expression));
		}
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value instanceof Collection || value instanceof Map || !HAS_TEXT.get(value.getClass())) {
			throw new InvalidValueException(
					"'%s' is a %s, which has no text that is the same everywhere; use a property of it"
						.formatted(expression, value.getClass().getTypeName()));
		}
		String text = value.toString();
		if (text == null) {
			throw new InvalidValueException("'%s' is null".formatted(expression));
		}
		return text;
	}

}
