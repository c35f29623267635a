package io.lockable.campaign.report;

import java.util.List;

/**
 * The results as Markdown: a table, and the evidence of each violation.
 */
public final class MarkdownReport {

	private MarkdownReport() {
	}

	/**
	 * Writes the report.
	 * @param results the rounds
	 * @return the text
	 */
	public static String of(List<RoundResult> results) {
		StringBuilder text = new StringBuilder("# Locks under faults\n\n");
		text.append("The longest pause of the machine was %d ms.%n%n"
			.formatted(results.stream().mapToLong(RoundResult::hiccupMillis).max().orElse(0)));
		text.append("| contestant | fault | runs | acquisitions | expired leases | stale writes refused ")
			.append("| longest recovery | violations | leaks |\n")
			.append("|---|---|---|---|---|---|---|---|---|\n");
		for (Row row : Row.of(results)) {
			text.append("| %s | %s | %d | %d | %d | %d | %s | %d | %d |%n".formatted(row.contestant(), row.fault(),
					row.runs(), row.acquisitions(), row.expired(), row.refused(),
					RoundResult.recovery(row.recoveryMillis()), row.violations(), row.leaks()));
		}
		results.stream().filter((result) -> !result.isSound()).forEach((result) -> describe(result, text));
		return text.toString();
	}

	private static void describe(RoundResult result, StringBuilder text) {
		text.append("%n## %s under %s, seed %d%n%n".formatted(result.contestant(), result.fault(), result.seed()));
		result.violations().forEach((violation) -> text.append("- ").append(violation).append('\n'));
		result.leaks().forEach((leak) -> text.append("- leak: ").append(leak).append('\n'));
		text.append("%n```text%n%s%n".formatted(result.repeat()));
		result.evidence().forEach((line) -> text.append(line).append('\n'));
		text.append("```\n");
	}

}
