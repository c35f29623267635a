package io.lockable.redis;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import io.lockable.LockKeyException;
import io.lockable.redis.script.ScriptArguments;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * The keys of one lock: its own key, and its companions in the same hash slot.
 */
final class LockKeys {

	/**
	 * The names of companions, as {@link #companions} builds them. The alternatives cover
	 * a key with a hash tag, a key without one, and a key that cannot be a tag.
	 */
	private static final Pattern COMPANION = Pattern.compile(
			"(?:[^{]*\\{[^}]+}.*:|\\{[^}]+}|\\{[^}]+}:[^}]*}.*):(?:fence|queue|waiters|holders|holder-tokens|outcome)",
			Pattern.DOTALL);

	private LockKeys() {
	}

	/**
	 * Checks that a key is not the companion of another lock.
	 * @param key the full name of the lock
	 * @throws LockKeyException if it is a companion
	 */
	static void check(String key) {
		if (key.indexOf('{') >= 0 && COMPANION.matcher(key).matches()) {
			throw new LockKeyException(
					"'%s' is a companion key of another lock on Redis: use a key that does not end with '%s'"
						.formatted(key, key.substring(key.lastIndexOf(':'))));
		}
	}

	/**
	 * Returns the keys in the order of the scripts. No two locks share a companion. Those
	 * of {@code a} begin with <code>{a}:</code>, those of <code>{a}</code> with
	 * <code>{a}::</code>. Those of <code>a}</code> begin with <code>{x}:a}:</code>, where
	 * {@code x} is a tag in its slot.
	 * @param key the full name of the lock
	 * @return lock, last fencing token, queue, waiters, holders, tokens of the holders
	 */
	static byte[][] of(String key) {
		return keys(key, ":fence", ":queue", ":waiters", ":holders", ":holder-tokens");
	}

	/**
	 * Returns the two keys that an extension needs.
	 * @param key the full name of the lock
	 * @return lock, holders
	 */
	static byte[][] toExtend(String key) {
		return keys(key, ":holders");
	}

	/**
	 * Returns the keys that show the holders of a lock.
	 * @param key the full name of the lock
	 * @return lock, queue, holders
	 */
	static byte[][] toLook(String key) {
		return keys(key, ":queue", ":holders");
	}

	/**
	 * Returns the two keys that the acquisition of a free lock needs.
	 * @param key the full name of the lock
	 * @return lock, last fencing token
	 */
	static byte[][] ofFree(String key) {
		return keys(key, ":fence");
	}

	/**
	 * Returns the keys of a lock on one master of several.
	 * @param key the full name of the lock
	 * @return lock, last fencing token, outcome of the last acquisition
	 */
	static byte[][] onMaster(String key) {
		return keys(key, ":fence", ":outcome");
	}

	/**
	 * Returns the key of the lock alone, which is sufficient to read its state.
	 * @param key the full name of the lock
	 * @return lock
	 */
	static byte[][] ofLock(String key) {
		return keys(key);
	}

	/**
	 * Returns whether all locks and their companions are in one cluster slot.
	 * @param keys the full names of the locks
	 * @return whether one script can use all of them
	 */
	static boolean areInOneSlot(Collection<String> keys) {
		return keys.stream().map(ClusterSlotHashUtil::calculateSlot).distinct().count() == 1;
	}

	private static byte[][] keys(String key, String... companions) {
		String prefix = (companions.length > 0) ? companions(key) : "";
		String[] keys = new String[1 + companions.length];
		keys[0] = key;
		for (int i = 0; i < companions.length; i++) {
			keys[1 + i] = prefix + companions[i];
		}
		return ScriptArguments.bytes(keys);
	}

	private static String companions(String key) {
		if (hasHashTag(key)) {
			return key + ':';
		}
		// A cluster hashes such a key as a whole. A tag cannot contain its '}', so
		// another tag in the same slot replaces it.
		return (key.indexOf('}') < 0) ? '{' + key + '}' : '{' + tagInSlotOf(key) + "}:" + key;
	}

	private static boolean hasHashTag(String key) {
		int open = key.indexOf('{');
		return open >= 0 && key.indexOf('}', open) > open + 1;
	}

	/**
	 * Returns the shortest hash tag for the slot of a key. A cluster derives the slot of
	 * a key from its hash tag, or from the whole key without one.
	 * @param key the key
	 * @return a few letters and digits
	 */
	static String tagInSlotOf(String key) {
		return HashTags.BY_SLOT.get(ClusterSlotHashUtil.calculateSlot(key));
	}

	/**
	 * Loaded with the first key that needs a tag: the search takes milliseconds.
	 */
	private static final class HashTags {

		static final List<String> BY_SLOT = bySlot();

		private static List<String> bySlot() {
			Map<Integer, String> tags = new TreeMap<>();
			for (int number = 0; tags.size() < ClusterSlotHashUtil.SLOT_COUNT; number++) {
				String tag = Integer.toString(number, Character.MAX_RADIX);
				tags.putIfAbsent(ClusterSlotHashUtil.calculateSlot(tag), tag);
			}
			return List.copyOf(tags.values());
		}

	}

}
