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
		if (!(value instanceof Collection) && !(value instanceof Map)) {
			String text = value.toString();
			if (text == null) {
				throw new InvalidValueException("'%s' is null".formatted(expression));
			}
			if (!isIdentity(value, text)) {
				return text;
			}
		}
		throw new InvalidValueException(
				"'%s' is a %s, which lacks a text that is the same on all instances; use a property of it"
					.formatted(expression, value.getClass().getTypeName()));
	}

	// What Object.toString gives. Asking which class declares the method would need
	// reflection on every type of a key, which a native image does not have.
	private static boolean isIdentity(Object value, String text) {
		String type = value.getClass().getName();
		return text.length() > type.length() && text.charAt(type.length()) == '@' && text.startsWith(type)
				&& text.substring(type.length() + 1).equals(Integer.toHexString(value.hashCode()));
	}

}
