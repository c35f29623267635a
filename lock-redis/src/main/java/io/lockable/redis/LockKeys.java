package io.lockable.redis;

import java.nio.charset.StandardCharsets;

/**
 * The keys of one lock: its own, and its companions in the same hash slot.
 */
final class LockKeys {

	private LockKeys() {
	}

	/**
	 * Returns the keys in the order that the scripts expect.
	 * @param key the full name of the lock
	 * @return lock, tokens, queue, waiters
	 */
	static byte[][] of(String key) {
		String companions = hasHashTag(key) ? key : '{' + key + '}';
		return new byte[][] { bytes(key), bytes(companions + ":token"), bytes(companions + ":queue"),
				bytes(companions + ":waiters") };
	}

	static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static boolean hasHashTag(String key) {
		int open = key.indexOf('{');
		return open >= 0 && key.indexOf('}', open) > open + 1;
	}

}
