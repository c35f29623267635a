package io.lockable.redis;

import java.util.List;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Hash tags for keys that cannot be tags themselves.
 *
 * <p>
 * A cluster derives the slot of a key from its hash tag, or from the whole key without
 * one. The class computes the shortest tag of each slot when it is loaded, on first use.
 */
final class HashTags {

	private static final List<String> TAGS = tags();

	private HashTags() {
	}

	/**
	 * Returns a hash tag for the slot of a key without a hash tag.
	 * @param key the key
	 * @return a few letters and digits
	 */
	static String inSlotOf(String key) {
		return TAGS.get(ClusterSlotHashUtil.calculateSlot(key));
	}

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
