package io.lockable.campaign.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
		String others = beside.stream()
			.map((other) -> "%s for %d ms".formatted(describe(other),
					(Math.min(other.held().until(), next.held().until()) - next.held().from()) / 1_000_000))
			.collect(Collectors.joining(" "));
		return new Violation(Promise.EXCLUSION, key, describe(next) + " beside " + others,
				Stream.concat(Stream.of(next), beside.stream()).map(Attempt::id).toList());
	}

	private static String describe(Attempt attempt) {
		return "%s %s with token %d".formatted(attempt.share(), attempt.id(), attempt.held().token());
	}

}
