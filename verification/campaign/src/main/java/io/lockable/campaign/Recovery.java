package io.lockable.campaign;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lockable.campaign.check.Episode;
import io.lockable.campaign.history.Attempt;
import io.lockable.campaign.history.Hold;
import io.lockable.campaign.history.Released;

/**
 * The time until locks have a new holder after a fault.
 */
final class Recovery {

	private Recovery() {
	}

	/**
	 * Returns the longest recovery of any lock from any fault. It counts from the end of
	 * the fault, or from the release of a holder that kept the lock during the fault. For
	 * an unused lock, it counts from the next attempt.
	 * @param keys the locks
	 * @param attempts the attempts to acquire one
	 * @param episodes the faults
	 * @return milliseconds; -1 if a lock has not recovered
	 */
	static long longestMillis(List<String> keys, List<Attempt> attempts, List<Episode> episodes) {
		long longest = 0;
		for (String key : keys) {
			List<Attempt> ofKey = attempts.stream().filter((attempt) -> attempt.key().equals(key)).toList();
			List<Hold> holds = ofKey.stream().filter((attempt) -> attempt.hold() != null).map(Attempt::held).toList();
			for (Episode episode : episodes) {
				long free = holds.stream()
					.filter((hold) -> hold.got() < episode.healed() && hold.released() != Released.NEVER)
					.mapToLong(Hold::releasedAt)
					.reduce(episode.healed(), Math::max);
				long next = holds.stream()
					.mapToLong(Hold::got)
					.filter((got) -> got >= episode.healed())
					.min()
					.orElse(Long.MAX_VALUE);
				if (next == Long.MAX_VALUE) {
					return -1;
				}
				long wanted = ofKey.stream()
					.filter((attempt) -> attempt.ended() >= free && attempt.ended() <= next && attempt.isWaiting())
					.mapToLong(Attempt::asked)
					.min()
					.orElse(next);
				longest = Math.max(longest, next - Math.max(free, wanted));
			}
		}
		return TimeUnit.NANOSECONDS.toMillis(longest);
	}

}
