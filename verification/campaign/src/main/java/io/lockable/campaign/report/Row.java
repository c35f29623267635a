package io.lockable.campaign.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All rounds of one contestant under one fault.
 *
 * @param contestant the contestant
 * @param fault the fault
 * @param runs the number of rounds
 * @param acquisitions the number of acquisitions
 * @param expired the number of holders that detected the loss of their lock
 * @param refused the number of rejected writes of former holders
 * @param recoveryMillis the longest recovery, -1 if a lock has not recovered
 * @param violations the number of broken promises
 * @param leaks the number of leaks
 */
public record Row(String contestant, String fault, int runs, int acquisitions, int expired, int refused,
		long recoveryMillis, int violations, int leaks) {

	/**
	 * Sums up rounds.
	 * @param results the rounds
	 * @return a row for each contestant and fault
	 */
	public static List<Row> of(List<RoundResult> results) {
		Map<List<String>, List<RoundResult>> groups = new LinkedHashMap<>();
		results.forEach((result) -> groups
			.computeIfAbsent(List.of(result.contestant(), result.fault()), (absent) -> new ArrayList<>())
			.add(result));
		return groups.values().stream().map(Row::sum).toList();
	}

	private static Row sum(List<RoundResult> rounds) {
		boolean recovered = rounds.stream().allMatch((round) -> round.recoveryMillis() >= 0);
		return new Row(rounds.get(0).contestant(), rounds.get(0).fault(), rounds.size(),
				rounds.stream().mapToInt(RoundResult::acquisitions).sum(),
				rounds.stream().mapToInt(RoundResult::expired).sum(),
				rounds.stream().mapToInt(RoundResult::refused).sum(),
				recovered ? rounds.stream().mapToLong(RoundResult::recoveryMillis).max().orElse(0) : -1,
				rounds.stream().mapToInt((round) -> round.violations().size()).sum(),
				rounds.stream().mapToInt((round) -> round.leaks().size()).sum());
	}

}
