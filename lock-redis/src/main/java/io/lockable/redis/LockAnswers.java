package io.lockable.redis;

import java.time.Duration;
import java.util.List;

import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.redis.script.ScriptCall;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;

/**
 * Reads the answers of the scripts of one lock.
 */
final class LockAnswers {

	/**
	 * The number of tokens that a script reserves at once.
	 */
	private static final int TOKENS = 32;

	/**
	 * The offset of a refused acquisition's number if the holder supports a recall.
	 */
	private static final long RECALLABLE = 1L << 50;

	/**
	 * The remaining lease of a lock with no expiry, or with one beyond the longest lease.
	 * Only a foreign command sets such an expiry.
	 */
	private static final Duration NO_EXPIRY = Duration.ofDays(1);

	private LockAnswers() {
	}

	/**
	 * Reads <code>{1, first token, last token, others waiting, microseconds}</code> or
	 * <code>{0, remaining milliseconds, last reserved token or 0}</code>. A refusal ends
	 * with <code>1</code> if the script has recalled the lock from its holder.
	 * @param result the answer of a script
	 * @param at the index of the first element
	 * @return the outcome
	 */
	static Acquisition acquisition(List<Long> result, int at) {
		if (result.get(at) == 1) {
			return new Granted(result.get(at + 1), result.get(at + 2), result.get(at + 3) != 0, result.get(at + 4));
		}
		boolean recalled = result.size() > at + 3 && result.get(at + 3) == 1;
		return refused(result.get(at + 1), result.get(at + 2), recalled);
	}

	/**
	 * Reads the last token, or the remaining milliseconds as a negative number.
	 * @param result the answer of a script
	 * @return the outcome
	 */
	static Acquisition acquisition(long result) {
		if (result > 0) {
			return new Granted(result - TOKENS + 1, result, false, 0);
		}
		boolean recallable = result < -RECALLABLE;
		return refused(-2 - result - (recallable ? RECALLABLE : 0), 0, recallable);
	}

	private static Refused refused(long remaining, long lastToken, boolean recalled) {
		// A foreign command may set any expiry, even one that overflows a clock in
		// nanoseconds.
		boolean ours = remaining >= 0 && remaining <= LockOptions.MAX_LEASE.toMillis();
		return new Refused(ours ? Duration.ofMillis(remaining) : NO_EXPIRY, lastToken, recalled);
	}

	/**
	 * Reads the answer of a script that frees a lock.
	 * @param key the full name of the lock
	 * @param answer the answer
	 * @return whether the owner held the lock
	 * @throws LockStoreException if the answer is ambiguous: an earlier copy of the
	 * command may have freed the lock
	 */
	static boolean isFreed(String key, long answer) {
		if (answer == ScriptCall.SENT_AGAIN) {
			throw new LockStoreException(
					"The connection was lost before the answer for lock '%s'. This owner no longer holds it: the release or an earlier loss freed it"
						.formatted(key),
					null, true);
		}
		return answer == 1;
	}

}
