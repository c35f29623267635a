package io.lockable.redis;

import java.util.List;

/**
 * The answer of a master to an acquisition.
 *
 * @param granted whether this master granted the lock to the owner
 * @param token the last token that was reserved with the grant
 * @param remaining the remaining lease of the holder in milliseconds; negative if it
 * never expires
 * @param settled whether the holder had a majority
 */
record Claim(boolean granted, long token, long remaining, boolean settled) {

	static Claim of(List<Long> result) {
		boolean granted = result.get(0) == 1;
		return granted ? new Claim(true, result.get(1), 0, false)
				: new Claim(false, 0, result.get(1), result.get(2) == 1);
	}

}
