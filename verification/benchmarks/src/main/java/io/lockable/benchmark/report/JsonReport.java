package io.lockable.benchmark.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Summary;
import io.lockable.benchmark.scenario.Scenario;
import io.lockable.harness.process.ChildJvm;

/**
 * The figures as JSON: every round of every cell, the medians, and the targets.
 */
public final class JsonReport {

	private JsonReport() {
	}

	/**
	 * Writes the report.
	 * @param results the figures
	 * @param environment their environment
	 * @return the text
	 */
	public static String of(Results results, Environment environment) {
		List<Cell> cells = new ArrayList<>();
		for (Scenario scenario : results.scenarios()) {
			results.peers(scenario)
				.forEach((peer) -> cells.add(new Cell(scenario.id(), scenario.title(), peer.label(),
						results.summaries(scenario, peer), results.rounds(scenario, peer))));
		}
		return ChildJvm.JSON.writerWithDefaultPrettyPrinter()
			.writeValueAsString(Map.of("environment", environment, "targets", Targets.judge(results, environment),
					"cells", cells, "failures", results.failures()));
	}

	private record Cell(String scenario, String title, String peer, Map<Metric, Summary> summaries,
			List<Map<Metric, Double>> rounds) {
	}

}
