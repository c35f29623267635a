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

	private KeyText() {
	}

	static String of(@Nullable Object key) {
		if (key == null) {
			throw new LockKeyException("'lockKey' must not be null");
		}
		if (key instanceof Collection || key instanceof Map || !HAS_TEXT.get(key.getClass())) {
			throw new LockKeyException(
					"'lockKey' must be a text or have one that is the same everywhere, as a number, a UUID or an enum has; was a %s"
						.formatted(key.getClass().getTypeName()));
		}
		String text = (key instanceof Enum<?> constant) ? constant.name() : key.toString();
		if (text == null || text.isBlank()) {
			throw new LockKeyException(
					"'lockKey' must not be blank: a lock without a name would be shared by everyone");
		}
		return text;
	}

}
