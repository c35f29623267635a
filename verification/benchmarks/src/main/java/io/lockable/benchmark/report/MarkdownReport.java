package io.lockable.benchmark.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Summary;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Scenario;

/**
 * The figures as Markdown: the targets first, then a table for each scenario.
 */
public final class MarkdownReport {

	private final Results results;

	private final StringBuilder text = new StringBuilder();

	private MarkdownReport(Results results) {
		this.results = results;
	}

	/**
	 * Writes the report.
	 * @param results the figures
	 * @param environment their environment
	 * @return the text
	 */
	public static String of(Results results, Environment environment) {
		MarkdownReport report = new MarkdownReport(results);
		report.writeHead(environment);
		report.writeTargets(environment);
		results.scenarios().forEach(report::writeScenario);
		return report.text.toString();
	}

	private void writeHead(Environment environment) {
		this.text.append("# Locks side by side\n\n");
		this.text.append("%s, %s, %d processors, %s, %s, %s ms a round trip (%s asked for); %s.\n\n".formatted(
				environment.time(), environment.system(), environment.processors(), environment.java(),
				environment.server(), number(environment.roundTripMillis()), number(environment.networkMillis()),
				String.join(", ", environment.libraries())));
		this.text.append("""
				Medians over the rounds, smallest and largest in parentheses. One server; each cell in \
				JVMs of its own; rounds interleaved over the peers. Ratios count, absolute figures belong to this \
				machine. All leases are 10 s. Commands are those that clients sent, without those inside of scripts. \
				A hand-off lasts from just before the release to just after the next entry.

				""");
		if (!this.results.failures().isEmpty()) {
			this.text.append("**Cells without valid figures:**\n\n");
			this.results.failures().forEach((failure) -> this.text.append("- ").append(failure).append('\n'));
			this.text.append('\n');
		}
	}

	private void writeTargets(Environment environment) {
		List<List<String>> rows = new ArrayList<>();
		for (Targets.Verdict target : Targets.judge(this.results, environment)) {
			String goal = (target.atLeast() ? "≥ " : "≤ ") + number(target.bound()) + " " + target.basis();
			rows.add(List.of(target.scenario(), target.peer(), target.metric().label(), goal.strip(),
					number(target.reached()), target.met() ? "met" : "**missed**"));
		}
		if (!rows.isEmpty()) {
			this.text.append("## Targets\n\n");
			writeTable(List.of("scenario", "ours", "figure", "target", "reached", ""), rows);
		}
	}

	private void writeScenario(Scenario scenario) {
		this.text.append("## %s: %s%n%n".formatted(scenario.id(), scenario.title()));
		List<Metric> metrics = this.results.metrics(scenario);
		List<Metric> others = metrics.subList(1, metrics.size());
		List<String> head = new ArrayList<>(List.of("peer", metrics.get(0).label(), "× limit", "× best peer"));
		others.forEach((metric) -> head.add(metric.label()));
		writeTable(head,
				this.results.peers(scenario)
					.stream()
					.map((peer) -> row(scenario, peer, metrics.get(0), others))
					.toList());
	}

	private List<String> row(Scenario scenario, PeerKind peer, Metric primary, List<Metric> others) {
		Map<Metric, Summary> summaries = this.results.summaries(scenario, peer);
		List<String> row = new ArrayList<>(List.of(peer.label()));
		Optional<Summary> main = Optional.ofNullable(summaries.get(primary));
		row.add(main.map(MarkdownReport::spread).orElse(""));
		row.add(ratio(main, this.results.median(scenario, PeerKind.LIMIT_LETTUCE, primary)));
		row.add(ratio(main, this.results.bestPeer(scenario, primary)));
		others.stream()
			.map((metric) -> Optional.ofNullable(summaries.get(metric)))
			.map((summary) -> summary.map((value) -> number(value.median())).orElse(""))
			.forEach(row::add);
		return row;
	}

	private void writeTable(List<String> head, List<List<String>> rows) {
		writeRow(head);
		writeRow(Collections.nCopies(head.size(), "---"));
		rows.forEach(this::writeRow);
		this.text.append('\n');
	}

	private void writeRow(List<String> cells) {
		this.text.append("| ").append(String.join(" | ", cells)).append(" |\n");
	}

	private static String spread(Summary summary) {
		return "%s (%s–%s)".formatted(number(summary.median()), number(summary.min()), number(summary.max()));
	}

	private static String ratio(Optional<Summary> value, Optional<Double> basis) {
		return value.flatMap((summary) -> basis.map((divisor) -> number(summary.median() / divisor))).orElse("");
	}

	/**
	 * Formats a number with its significant digits.
	 * @param value the number
	 * @return the text
	 */
	public static String number(double value) {
		double size = Math.abs(value);
		if (value == Math.rint(value) || size >= 100) {
			return String.format(Locale.ROOT, "%,.0f", value);
		}
		return String.format(Locale.ROOT, (size >= 10) ? "%.1f" : (size >= 0.1) ? "%.2f" : "%.4f", value);
	}

}
