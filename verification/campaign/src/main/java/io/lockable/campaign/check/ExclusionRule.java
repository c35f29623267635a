package io.lockable.campaign.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.lockable.campaign.check.Violation.Promise;
import io.lockable.campaign.history.Attempt;
import io.lockable.campaign.history.Share;

/**
 * Holders with overlapping proven beliefs must be compatible.
 */
final class ExclusionRule implements Rule {

	@Override
	public List<Violation> check(String key, List<Attempt> attempts, Conditions conditions) {
		List<Violation> found = new ArrayList<>();
		List<Attempt> sorted = attempts.stream()
			.filter((attempt) -> attempt.hold() != null && attempt.hold().isProven())
			.sorted(Comparator.comparingLong((attempt) -> attempt.held().from()))
			.toList();
		List<Attempt> present = new ArrayList<>();
		for (Attempt next : sorted) {
			long start = next.held().from();
			present.removeIf((other) -> other.held().until() <= start);
			List<Attempt> beside = present.stream()
				.filter((other) -> !conditions.isVoid(key, start, Math.min(other.held().until(), next.held().until())))
				.toList();
			if (!admits(next.share(), beside, conditions.permits())) {
				found.add(violation(key, next, beside));
			}
			present.add(next);
		}
		return found;
	}

	private static boolean admits(Share share, List<Attempt> beside, int permits) {
		return switch (share) {
			case EXCLUSIVE -> beside.isEmpty();
			case READ -> beside.stream().allMatch((other) -> other.share() == Share.READ);
			case PERMIT -> beside.size() < permits;
		};
	}

	private static Violation violation(String key, Attempt next, List<Attempt> beside) {
		List<String> ids = new ArrayList<>(List.of(next.id()));
		StringBuilder what = new StringBuilder(describe(next)).append(" beside");
		for (Attempt other : beside) {
			long millis = (Math.min(other.held().until(), next.held().until()) - next.held().from()) / 1_000_000;
			what.append(' ').append(describe(other)).append(" for ").append(millis).append(" ms");
			ids.add(other.id());
		}
		return new Violation(Promise.EXCLUSION, key, what.toString(), ids);
	}

	private static String describe(Attempt attempt) {
		return "%s %s with token %d".formatted(attempt.share(), attempt.id(), attempt.held().token());
	}

}
