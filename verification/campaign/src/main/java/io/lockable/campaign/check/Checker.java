package io.lockable.campaign.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.lockable.campaign.history.Attempt;
import io.lockable.campaign.history.Write;

/**
 * Checks the histories of a round.
 */
public final class Checker {

	private static final List<Rule> RULES = List.of(new ExclusionRule(), new TokenRule(), new DeadlineRule(),
			new ProgressRule(), new TryRule(), new ReleaseRule(), new LeaseEndRule());

	private Checker() {
	}

	/**
	 * Finds each promise that the histories prove broken.
	 * @param attempts the attempts of the workers
	 * @param writes the writes to the resource, in order
	 * @param conditions the conditions of the round
	 * @return the violations
	 */
	public static List<Violation> check(List<Attempt> attempts, List<Write> writes, Conditions conditions) {
		List<Violation> found = new ArrayList<>();
		Map<String, List<Attempt>> byKey = attempts.stream()
			.sorted(Comparator.comparingLong(Attempt::asked))
			.collect(Collectors.groupingBy(Attempt::key, TreeMap::new, Collectors.toList()));
		byKey.forEach((key, ofKey) -> RULES.forEach((rule) -> found.addAll(rule.check(key, ofKey, conditions))));
		found.addAll(WriteRule.check(writes));
		return found;
	}

}
