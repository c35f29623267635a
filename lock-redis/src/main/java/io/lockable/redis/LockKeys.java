package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.regex.Pattern;

import io.lockable.LockKeyException;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * The keys of one lock: its own, and its companions in the same hash slot.
 */
final class LockKeys {

	/**
	 * The names of companions, as {@link #companions} makes them: beside a key with a
	 * hash tag, beside one without, and beside one that no tag can stand for.
	 */
	private static final Pattern COMPANION = Pattern.compile(
			"(?:[^{]*\\{[^}]+}.*:|\\{[^}]+}|\\{[^}]+}:.*}.*):(?:fence|queue|waiters|holders|holder-tokens|outcome)",
			Pattern.DOTALL);

	private LockKeys() {
	}

	/**
	 * Checks that a key is no companion of another lock.
	 * @param key the full name of the lock
	 * @throws LockKeyException if it is
	 */
	static void check(String key) {
		if (COMPANION.matcher(key).matches()) {
			throw new LockKeyException(
					"'%s' is a companion key of another lock on Redis: use a key that does not end with '%s'"
						.formatted(key, key.substring(key.lastIndexOf(':'))));
		}
	}

	/**
	 * Returns the keys in the order that the scripts expect. No two locks share a
	 * companion: those of {@code a} begin with <code>{a}:</code>, those of
	 * <code>{a}</code> with <code>{a}::</code>, and those of <code>a}</code> with
	 * <code>{x}:a}:</code>, where {@code x} stands for its slot.
	 * @param key the full name of the lock
	 * @return lock, tokens, queue, waiters, holders, tokens of the holders
	 */
	static byte[][] of(String key) {
		String companions = companions(key);
		return new byte[][] { bytes(key), bytes(companions + ":fence"), bytes(companions + ":queue"),
				bytes(companions + ":waiters"), bytes(companions + ":holders"), bytes(companions + ":holder-tokens") };
	}

	/**
	 * Returns the two of the keys that it takes to extend a lease.
	 * @param key the full name of the lock
	 * @return lock, holders
	 */
	static byte[][] toExtend(String key) {
		return new byte[][] { bytes(key), bytes(companions(key) + ":holders") };
	}

	/**
	 * Returns the keys that tell who holds a lock.
	 * @param key the full name of the lock
	 * @return lock, queue, holders
	 */
	static byte[][] toLook(String key) {
		String companions = companions(key);
		return new byte[][] { bytes(key), bytes(companions + ":queue"), bytes(companions + ":holders") };
	}

	/**
	 * Returns the first two of the keys, which are enough for a lock that is free.
	 * @param key the full name of the lock
	 * @return lock, tokens
	 */
	static byte[][] ofFree(String key) {
		return new byte[][] { bytes(key), bytes(companions(key) + ":fence") };
	}

	/**
	 * Returns the keys of a lock on one master of several.
	 * @param key the full name of the lock
	 * @return lock, tokens, what became of the last acquisition
	 */
	static byte[][] onMaster(String key) {
		String companions = companions(key);
		return new byte[][] { bytes(key), bytes(companions + ":fence"), bytes(companions + ":outcome") };
	}

	/**
	 * Returns the first of the keys, which is enough to look at a lock.
	 * @param key the full name of the lock
	 * @return lock
	 */
	static byte[][] ofLock(String key) {
		return new byte[][] { bytes(key) };
	}

	/**
	 * Returns whether all locks are in one slot of a cluster, with their companions.
	 * @param keys the full names of the locks
	 * @return whether one script can have them all
	 */
	static boolean areInOneSlot(Collection<String> keys) {
		return keys.stream().map(ClusterSlotHashUtil::calculateSlot).distinct().count() == 1;
	}

	static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String companions(String key) {
		if (hasHashTag(key)) {
			return key + ':';
		}
		// A cluster hashes the key as a whole, for which no tag can stand with a '}' in
		// it.
		return (key.indexOf('}') < 0) ? '{' + key + '}' : '{' + HashTags.inSlotOf(key) + "}:" + key;
	}

	private static boolean hasHashTag(String key) {
		int open = key.indexOf('{');
		return open >= 0 && key.indexOf('}', open) > open + 1;
	}

}
