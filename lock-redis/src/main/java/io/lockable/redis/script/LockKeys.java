package io.lockable.redis.script;

import java.util.Collection;
import java.util.regex.Pattern;

import io.lockable.Internal;
import io.lockable.LockKeyException;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * The keys of one lock: its own, and its companions in the same hash slot.
 *
 * @since 0.1.0
 */
@Internal
public final class LockKeys {

	/**
	 * The names of companions, as {@link #companions} builds them: beside a key with a
	 * hash tag, beside one without, and beside one that no tag can stand for.
	 */
	private static final Pattern COMPANION = Pattern.compile(
			"(?:[^{]*\\{[^}]+}.*:|\\{[^}]+}|\\{[^}]+}:[^}]*}.*):(?:fence|queue|waiters|holders|holder-tokens|outcome)",
			Pattern.DOTALL);

	private LockKeys() {
	}

	/**
	 * Checks that a key is no companion of another lock.
	 * @param key the full name of the lock
	 * @throws LockKeyException if it is
	 */
	public static void check(String key) {
		if (key.indexOf('{') >= 0 && COMPANION.matcher(key).matches()) {
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
	 * @return lock, last fencing token, queue, waiters, holders, tokens of the holders
	 */
	public static byte[][] of(String key) {
		return keys(key, ":fence", ":queue", ":waiters", ":holders", ":holder-tokens");
	}

	/**
	 * Returns the two of the keys that it takes to extend a lease.
	 * @param key the full name of the lock
	 * @return lock, holders
	 */
	public static byte[][] toExtend(String key) {
		return keys(key, ":holders");
	}

	/**
	 * Returns the keys that show the holders of a lock.
	 * @param key the full name of the lock
	 * @return lock, queue, holders
	 */
	public static byte[][] toLook(String key) {
		return keys(key, ":queue", ":holders");
	}

	/**
	 * Returns the first two of the keys, which are enough to acquire a free lock.
	 * @param key the full name of the lock
	 * @return lock, last fencing token
	 */
	public static byte[][] ofFree(String key) {
		return keys(key, ":fence");
	}

	/**
	 * Returns the keys of a lock on one master of several.
	 * @param key the full name of the lock
	 * @return lock, last fencing token, outcome of the last acquisition
	 */
	public static byte[][] onMaster(String key) {
		return keys(key, ":fence", ":outcome");
	}

	/**
	 * Returns the first of the keys, which is enough to look at a lock.
	 * @param key the full name of the lock
	 * @return lock
	 */
	public static byte[][] ofLock(String key) {
		return keys(key);
	}

	/**
	 * Returns whether all locks are in one slot of a cluster, with their companions.
	 * @param keys the full names of the locks
	 * @return whether one script can have them all
	 */
	public static boolean areInOneSlot(Collection<String> keys) {
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
		// A cluster hashes the key as a whole, for which no tag can stand with a '}' in
		// it.
		return (key.indexOf('}') < 0) ? '{' + key + '}' : '{' + HashTags.inSlotOf(key) + "}:" + key;
	}

	private static boolean hasHashTag(String key) {
		int open = key.indexOf('{');
		return open >= 0 && key.indexOf('}', open) > open + 1;
	}

}
