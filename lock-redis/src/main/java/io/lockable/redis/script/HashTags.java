package io.lockable.redis.script;

import java.util.List;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Hash tags for keys that cannot be their own.
 *
 * <p>
 * A cluster puts a key into the slot that its hash tag gives, or all of it where it has
 * none.
 */
final class HashTags {

	private HashTags() {
	}

	/**
	 * Returns the hash tag of the slot that a key is in which has no hash tag.
	 * @param key the key
	 * @return a few letters and digits
	 */
	static String inSlotOf(String key) {
		return Table.TAGS.get(ClusterSlotHashUtil.calculateSlot(key));
	}

	/**
	 * The shortest tag of each slot, found when a key first needs one.
	 */
	private static final class Table {

		static final List<String> TAGS = tags();

		private static List<String> tags() {
			String[] tags = new String[ClusterSlotHashUtil.SLOT_COUNT];
			int found = 0;
			for (int i = 0; found < tags.length; i++) {
				String tag = Integer.toString(i, Character.MAX_RADIX);
				int slot = ClusterSlotHashUtil.calculateSlot(tag);
				if (tags[slot] == null) {
					tags[slot] = tag;
					found++;
				}
			}
			return List.of(tags);
		}

	}

}
