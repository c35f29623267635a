package io.lockable.campaign.check;

import java.util.List;

import io.lockable.campaign.check.Violation.Promise;
import io.lockable.campaign.history.Attempt;
import io.lockable.campaign.history.Outcome;

/**
 * An attempt ends with its wait, plus at most one answer of the server and the pauses of
 * its process and machine.
 */
final class DeadlineRule implements Rule {

	@Override
	public List<Violation> check(String key, List<Attempt> attempts, Conditions conditions) {
		return attempts.stream()
			.filter((attempt) -> attempt.outcome() != Outcome.UNKNOWN && isLate(attempt, conditions))
			.map((attempt) -> new Violation(Promise.DEADLINE, key,
					"%s was %s after %d ms, with a wait of %d ms".formatted(attempt.id(), attempt.outcome(),
							(attempt.ended() - attempt.asked()) / 1_000_000, attempt.patience() / 1_000_000),
					List.of(attempt.id())))
			.toList();
	}

	private static boolean isLate(Attempt attempt, Conditions conditions) {
		long allowed = attempt.patience() + conditions.delay() + conditions.allowance()
				+ conditions.pauses(attempt.worker(), attempt.asked(), attempt.ended());
		return attempt.ended() - attempt.asked() > allowed;
	}

}
