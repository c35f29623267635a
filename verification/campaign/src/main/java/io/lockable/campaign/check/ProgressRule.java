package io.lockable.campaign.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.lockable.campaign.check.Violation.Promise;
import io.lockable.campaign.history.Attempt;
import io.lockable.campaign.history.Hold;
import io.lockable.campaign.history.Outcome;

/**
 * No waiter waits for long for a free lock, except during a fault and its consequences. A
 * lock is free from the release of its last holder, or from the end of a dead holder's
 * lease, to the next acquisition. A lock that an instance only retains is free, because a
 * waiter recalls it.
 */
final class ProgressRule implements Rule {

	@Override
	public List<Violation> check(String key, List<Attempt> attempts, Conditions conditions) {
		List<Violation> found = new ArrayList<>();
		for (Gap gap : gaps(key, attempts, conditions)) {
			long paused = conditions.pauses().stream().mapToLong((each) -> each.within(gap.from(), gap.until())).sum();
			long waited = waited(gap, attempts);
			if (waited > conditions.idle(key) + conditions.allowance() + paused) {
				List<String> waiters = attempts.stream().filter(gap::touches).map(Attempt::id).limit(10).toList();
				found.add(new Violation(Promise.PROGRESS, key, "waiters stood beside a free lock for %d ms, until %d"
					.formatted(waited / 1_000_000, gap.until()), waiters));
			}
		}
		return found;
	}

	/**
	 * Returns the times without a holder that no fault explains.
	 */
	private static List<Gap> gaps(String key, List<Attempt> attempts, Conditions conditions) {
		List<Gap> busy = new ArrayList<>();
		for (Attempt attempt : attempts) {
			Hold hold = attempt.hold();
			if (hold != null) {
				busy.add(new Gap(hold.got(), hold.over(attempt.lease())));
			}
		}
		conditions.episodes().forEach((episode) -> busy.add(new Gap(episode.injected(), episode.settled())));
		busy.sort(Comparator.comparingLong(Gap::from));
		List<Gap> gaps = new ArrayList<>();
		long free = attempts.get(0).asked();
		for (Gap each : busy) {
			if (each.from() > free) {
				gaps.add(new Gap(free, Math.min(each.from(), conditions.end())));
			}
			free = Math.max(free, each.until());
		}
		gaps.add(new Gap(free, conditions.end()));
		return gaps.stream().filter((gap) -> gap.until() - gap.from() > conditions.idle(key)).toList();
	}

	/**
	 * Returns the time in a gap during which at least one attempt waited.
	 */
	private static long waited(Gap gap, List<Attempt> attempts) {
		long sum = 0;
		long last = gap.from();
		for (Attempt attempt : attempts) {
			if (attempt.outcome() != Outcome.UNKNOWN) {
				long from = Math.max(last, attempt.asked());
				long until = Math.min(gap.until(), attempt.ended());
				sum += Math.max(0, until - from);
				last = Math.max(last, until);
			}
		}
		return sum;
	}

	private record Gap(long from, long until) {

		boolean touches(Attempt attempt) {
			return attempt.asked() < this.until && attempt.ended() > this.from;
		}

	}

}
