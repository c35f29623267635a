package io.lockable.autoconfigure.integration;

import java.util.Collection;
import java.util.Map;

import io.lockable.LockKeyException;
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
		if (key instanceof Collection || key instanceof Map || isIdentity(key, text)) {
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

	// What Object.toString gives. Asking which class declares the method would need
	// reflection on every type of a key, which a native image does not have.
	private static boolean isIdentity(Object key, @Nullable String text) {
		String start = key.getClass().getName() + '@';
		return text != null && text.startsWith(start)
				&& text.substring(start.length()).equals(Integer.toHexString(key.hashCode()));
	}

}
