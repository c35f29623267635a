package io.lockable.benchmark.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.lockable.benchmark.measure.Measurement;
import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Summary;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Scenario;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The figures as JSON: every round of every cell, the medians, and the targets.
 */
public final class JsonReport {

	private static final JsonMapper JSON = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

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
			for (PeerKind peer : results.peers(scenario)) {
				List<Map<Metric, Double>> rounds = results.rounds(scenario, peer)
					.stream()
					.map(Measurement::values)
					.toList();
				cells.add(new Cell(scenario.id(), scenario.title(), peer.label(), results.summaries(scenario, peer),
						rounds));
			}
		}
		List<Verdict> verdicts = new ArrayList<>();
		for (Target target : Targets.of(environment)) {
			target.reached(results)
				.ifPresent((value) -> verdicts
					.add(new Verdict(target.scenario(), target.peer().label(), target.metric(), target.basis().label(),
							target.atLeast(), target.bound(), value, target.isMetBy(value))));
		}
		return JSON.writeValueAsString(new Document(environment, verdicts, cells, results.failures()));
	}

	private record Document(Environment environment, List<Verdict> targets, List<Cell> cells, List<String> failures) {
	}

	private record Cell(String scenario, String title, String peer, Map<Metric, Summary> summaries,
			List<Map<Metric, Double>> rounds) {
	}

	private record Verdict(String scenario, String peer, Metric metric, String basis, boolean atLeast, double bound,
			double reached, boolean met) {
	}

}
