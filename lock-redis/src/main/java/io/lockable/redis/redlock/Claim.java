package io.lockable.redis.redlock;

import java.util.List;

/**
 * The answer of a master to an acquisition.
 *
 * @param granted whether the lock is the owner's on this master
 * @param token the last token that was reserved with it
 * @param remaining how long the lease of its holder lives, in milliseconds, negative for
 * one that does not end
 * @param settled whether its holder had a majority
 */
record Claim(boolean granted, long token, long remaining, boolean settled) {

	static Claim of(List<Long> result) {
		boolean granted = result.get(0) == 1;
		return granted ? new Claim(true, result.get(1), 0, false)
				: new Claim(false, 0, result.get(1), result.get(2) == 1);
	}

}
