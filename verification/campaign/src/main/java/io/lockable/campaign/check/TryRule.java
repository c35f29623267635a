package io.lockable.campaign.check;

import java.util.List;

import io.lockable.campaign.check.Violation.Promise;
import io.lockable.campaign.history.Attempt;
import io.lockable.campaign.history.Outcome;

/**
 * A try must not be refused while no other attempt holds or requests the lock: an
 * instance that only retains the lock yields it. A refusal proves nothing if that
 * instance has not answered in time, or shortly after another attempt, a fault or a
 * pause.
 */
final class TryRule implements Rule {

	@Override
	public List<Violation> check(String key, List<Attempt> attempts, Conditions conditions) {
		return attempts.stream()
			.filter((attempt) -> !attempt.isWaiting() && attempt.outcome() == Outcome.REFUSED
					&& attempt.ended() - attempt.asked() < conditions.recall(attempt.key())
					&& isAlone(attempt, attempts, conditions))
			.map((attempt) -> new Violation(Promise.PROGRESS, key, "%s was refused a free lock".formatted(attempt.id()),
					List.of(attempt.id())))
			.toList();
	}

	private static boolean isAlone(Attempt attempt, List<Attempt> attempts, Conditions conditions) {
		long from = attempt.asked() - conditions.recall(attempt.key()) - conditions.allowance();
		boolean disturbed = conditions.episodes()
			.stream()
			.anyMatch((episode) -> episode.injected() < attempt.ended()
					&& episode.settled() + conditions.idle(attempt.key()) > from)
				|| conditions.pauses().stream().anyMatch((pause) -> pause.within(from, attempt.ended()) > 0);
		return !disturbed && attempts.stream()
			.noneMatch((other) -> !other.id().equals(attempt.id()) && other.asked() < attempt.ended()
					&& over(other) > from);
	}

	private static long over(Attempt attempt) {
		return (attempt.hold() != null) ? attempt.hold().over(attempt.lease()) : attempt.ended();
	}

}
