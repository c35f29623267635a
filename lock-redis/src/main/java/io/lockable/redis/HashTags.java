package io.lockable.redis;

import java.util.List;

/**
 * Hash tags for keys that cannot be their own.
 *
 * <p>
 * A cluster puts a key into the slot that the CRC16 (XMODEM) of its hash tag gives, or of
 * all of it where it has none: the <i>Redis cluster specification</i>.
 */
final class HashTags {

	private static final int SLOTS = 16384;

	private static final int POLYNOMIAL = 0x1021;

	private HashTags() {
	}

	/**
	 * Returns the hash tag of the slot that a key is in which has no hash tag.
	 * @param key the key
	 * @return a few letters and digits
	 */
	static String inSlotOf(String key) {
		return Table.TAGS.get(slot(key));
	}

	/**
	 * Returns the slot of a text that is hashed as a whole.
	 * @param text the text
	 * @return the number of the slot
	 */
	static int slot(String text) {
		int crc = 0;
		for (byte each : LockKeys.bytes(text)) {
			crc ^= (each & 0xff) << 8;
			for (int bit = 0; bit < Byte.SIZE; bit++) {
				crc = ((crc & 0x8000) != 0) ? (crc << 1) ^ POLYNOMIAL : crc << 1;
			}
			crc &= 0xffff;
		}
		return crc % SLOTS;
	}

	/**
	 * The shortest tag of each slot, found when a key first needs one.
	 */
	private static final class Table {

		static final List<String> TAGS = tags();

		private static List<String> tags() {
			String[] tags = new String[SLOTS];
			int found = 0;
			for (int i = 0; found < SLOTS; i++) {
				String tag = Integer.toString(i, Character.MAX_RADIX);
				int slot = slot(tag);
				if (tags[slot] == null) {
					tags[slot] = tag;
					found++;
				}
			}
			return List.of(tags);
		}

	}

}
