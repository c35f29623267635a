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
 * @param runs how many rounds
 * @param acquisitions how often a lock was acquired
 * @param expired how often a holder knew that it had lost its lock
 * @param refused how many writes of former holders were refused
 * @param recoveryMillis the longest recovery, -1 if a lock has not recovered
 * @param violations how many promises were broken
 * @param leaks how many leaks were found
 */
public record Row(String contestant, String fault, int runs, int acquisitions, int expired, int refused,
		long recoveryMillis, int violations, int leaks) {

	static List<Row> of(List<RoundResult> results) {
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

	String recovery() {
		return RoundResult.recovery(this.recoveryMillis);
	}

}
