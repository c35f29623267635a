package io.lockable.autoconfigure.integration;

import java.util.Collection;
import java.util.Map;

import io.lockable.LockKeyException;
import io.lockable.spring.expression.KeyValue;
import org.jspecify.annotations.Nullable;

/**
 * Turns what a registry is asked for into the text that stands for it in the store. The
 * same object must give the same text on every instance, so what has no such text is
 * refused: never a hash code, never the identity of an object.
 */
final class KeyText {

	private KeyText() {
	}

	static String of(@Nullable Object key) {
		if (key == null) {
			throw new LockKeyException("'lockKey' must not be null");
		}
		String text = (key instanceof Enum<?> constant) ? constant.name() : key.toString();
		if (key instanceof Collection || key instanceof Map || KeyValue.isIdentityText(key, text)) {
			throw new LockKeyException(
					("'lockKey' must have the same text on all instances, like a string, a number, a UUID "
							+ "or an enum, was a %s")
						.formatted(key.getClass().getTypeName()));
		}
		if (text == null || text.isBlank()) {
			throw new LockKeyException(
					"'lockKey' must not be blank: all callers with a blank key would share one lock");
		}
		return text;
	}

}
