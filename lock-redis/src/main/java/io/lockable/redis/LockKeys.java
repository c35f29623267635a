package io.lockable.redis;

import java.nio.charset.StandardCharsets;

/**
 * The keys of one lock: its own, and its companions in the same hash slot.
 */
final class LockKeys {

	private LockKeys() {
	}

	/**
	 * Returns the keys in the order that the scripts expect. No two locks share a
	 * companion: those of {@code a} begin with <code>{a}:</code>, those of
	 * <code>{a}</code> with <code>{a}::</code>.
	 * @param key the full name of the lock
	 * @return lock, tokens, queue, waiters, sharers, tokens of the sharers
	 */
	static byte[][] of(String key) {
		String companions = companions(key);
		return new byte[][] { bytes(key), bytes(companions + ":token"), bytes(companions + ":queue"),
				bytes(companions + ":waiters"), bytes(companions + ":sharers"), bytes(companions + ":shares") };
	}

	/**
	 * Returns the two of the keys that it takes to extend a lease.
	 * @param key the full name of the lock
	 * @return lock, sharers
	 */
	static byte[][] toExtend(String key) {
		return new byte[][] { bytes(key), bytes(companions(key) + ":sharers") };
	}

	/**
	 * Returns the first two of the keys, which are enough for a lock that is free.
	 * @param key the full name of the lock
	 * @return lock, tokens
	 */
	static byte[][] ofFree(String key) {
		return new byte[][] { bytes(key), bytes(companions(key) + ":token") };
	}

	/**
	 * Returns the keys of a lock on one master of several.
	 * @param key the full name of the lock
	 * @return lock, tokens, what became of the last acquisition
	 */
	static byte[][] onMaster(String key) {
		String companions = companions(key);
		return new byte[][] { bytes(key), bytes(companions + ":token"), bytes(companions + ":outcome") };
	}

	/**
	 * Returns whether the companions are in the lock's own slot. A cluster hashes a key
	 * without a hash tag as a whole, and no tag can stand for a whole with a
	 * <code>}</code> in it.
	 * @param key the full name of the lock
	 * @return whether a cluster can serve the lock
	 */
	static boolean isInOneSlot(String key) {
		return hasHashTag(key) || key.indexOf('}') < 0;
	}

	static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String companions(String key) {
		return hasHashTag(key) ? key + ':' : '{' + key + '}';
	}

	private static boolean hasHashTag(String key) {
		int open = key.indexOf('{');
		return open >= 0 && key.indexOf('}', open) > open + 1;
	}

}
