package io.lockable.benchmark.report;

import java.util.ArrayList;
import java.util.List;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Scenario;
import io.lockable.benchmark.scenario.Scenarios;
import io.lockable.harness.report.BarChart;
import io.lockable.harness.report.BarChart.Bar;

/**
 * Figures as pictures: a bar for each peer.
 */
public final class Plot {

	private static final int LABEL = 150;

	private static final String OURS = "#2e7d32";

	private static final String OTHERS = "#5c6f8a";

	private static final String LIMIT = "#b0b7c3";

	private Plot() {
	}

	/**
	 * Draws the primary figure of a scenario.
	 * @param results the figures
	 * @param scenario the scenario, with a figure at least
	 * @return the picture
	 */
	public static BarChart of(Results results, Scenario scenario) {
		Metric metric = results.metrics(scenario).get(0);
		return new BarChart("%s: %s (%s, %s is better)".formatted(scenario.id(), scenario.title(), metric.label(),
				metric.moreIsBetter() ? "more" : "less"), LABEL, bars(results, scenario, metric, ""));
	}

	/**
	 * Draws how a figure grows with the number of instances that contend for one key.
	 * @param results the figures
	 * @param metric the figure
	 * @return the picture
	 */
	public static BarChart byInstances(Results results, Metric metric) {
		List<Bar> bars = new ArrayList<>();
		for (Scenario scenario : Scenarios.select("I")) {
			bars.addAll(bars(results, scenario, metric, scenario.id() + ", "));
		}
		return new BarChart("2 to 128 instances on one key (%s)".formatted(metric.label()), LABEL, bars);
	}

	private static List<Bar> bars(Results results, Scenario scenario, Metric metric, String prefix) {
		List<Bar> bars = new ArrayList<>();
		for (PeerKind peer : results.peers(scenario)) {
			String color = peer.isOurs() ? OURS : peer.isLimit() ? LIMIT : OTHERS;
			results.median(scenario, peer, metric)
				.ifPresent((value) -> bars
					.add(new Bar(prefix + peer.label(), value, color, MarkdownReport.number(value))));
		}
		return bars;
	}

}
