package io.lockable.campaign.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;

import io.lockable.campaign.check.Violation.Promise;
import io.lockable.campaign.history.Attempt;

/**
 * A later acquisition has a larger fencing token. An acquisition is later than another
 * one if it began after the other had returned. Among exclusive holders, it is also later
 * if the other one was observed to hold before. This inference requires exclusion, so
 * holders whose lock was taken away do not count. An instance does not detect that a
 * retained lock was taken away. Until the lease ends, it enters with its reserved tokens,
 * and the resource rejects them.
 */
final class TokenRule implements Rule {

	@Override
	public List<Violation> check(String key, List<Attempt> attempts, Conditions conditions) {
		List<Attempt> all = attempts.stream()
			.filter((attempt) -> attempt.hold() != null && attempt.hold().token() > 0)
			.toList();
		List<Attempt> later = all.stream().filter((attempt) -> !mayEnterUnasked(attempt, conditions)).toList();
		List<Violation> found = new ArrayList<>(
				inversions(key, all, later, (attempt) -> attempt.held().got(), Attempt::asked));
		if (found.isEmpty()) {
			List<Attempt> seen = all.stream()
				.filter((attempt) -> attempt.isExclusive() && attempt.held().isProven()
						&& !conditions.mayBeVoid(key, attempt.asked(), attempt.held().until()))
				.toList();
			found.addAll(inversions(key, seen, seen, (attempt) -> attempt.held().from(),
					(attempt) -> attempt.held().first()));
		}
		return found;
	}

	private static boolean mayEnterUnasked(Attempt attempt, Conditions conditions) {
		return conditions.recall(attempt.key()) > 0
				&& conditions.mayBeVoid(attempt.key(), attempt.asked(), attempt.held().got());
	}

	/**
	 * Finds acquisitions whose token is not larger than all tokens known before their
	 * start.
	 */
	private static List<Violation> inversions(String key, List<Attempt> attempts, List<Attempt> checked,
			ToLongFunction<Attempt> known, ToLongFunction<Attempt> began) {
		List<Violation> found = new ArrayList<>();
		List<Attempt> byKnown = attempts.stream().sorted(Comparator.comparingLong(known)).toList();
		Attempt newest = null;
		int next = 0;
		for (Attempt attempt : checked.stream().sorted(Comparator.comparingLong(began)).toList()) {
			while (known.applyAsLong(byKnown.get(next)) < began.applyAsLong(attempt)) {
				Attempt before = byKnown.get(next++);
				newest = (newest == null || before.held().token() > newest.held().token()) ? before : newest;
			}
			if (newest != null && newest.held().token() >= attempt.held().token()) {
				found.add(new Violation(
						Promise.TOKEN_ORDER, key, "%s with token %d after %s with token %d".formatted(attempt.id(),
								attempt.held().token(), newest.id(), newest.held().token()),
						List.of(attempt.id(), newest.id())));
			}
		}
		return found;
	}

}
