package io.lockable.benchmark.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import io.lockable.benchmark.measure.Measurement;
import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Summary;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Scenario;

/**
 * All figures of a run, as they come in. Not thread-safe.
 */
public final class Results {

	private final Map<Scenario, Map<PeerKind, List<Measurement>>> measurements = new LinkedHashMap<>();

	private final List<String> failures = new ArrayList<>();

	private boolean ourFailure;

	/**
	 * Adds the figures of a cell in one round.
	 * @param scenario the scenario
	 * @param peer the peer
	 * @param measurement the figures
	 */
	public void add(Scenario scenario, PeerKind peer, Measurement measurement) {
		this.measurements.computeIfAbsent(scenario, (added) -> new TreeMap<>())
			.computeIfAbsent(peer, (added) -> new ArrayList<>())
			.add(measurement);
	}

	/**
	 * Adds a cell that has no figures, or figures that are void.
	 * @param scenario the scenario
	 * @param peer the peer
	 * @param reason why
	 */
	public void addFailure(Scenario scenario, PeerKind peer, String reason) {
		this.failures.add("%s, %s: %s".formatted(scenario.id(), peer.label(), reason));
		this.ourFailure |= peer.isOurs();
	}

	/**
	 * Returns whether a cell of ours has no figures, or figures that are void.
	 * @return whether one of ours failed; that a peer gives up is a result
	 */
	public boolean hasOurFailure() {
		return this.ourFailure;
	}

	/**
	 * Returns the cells without valid figures.
	 * @return which cell, and why
	 */
	List<String> failures() {
		return List.copyOf(this.failures);
	}

	/**
	 * Returns the scenarios with figures.
	 * @return the scenarios, in the order of the run
	 */
	public Set<Scenario> scenarios() {
		return this.measurements.keySet();
	}

	Set<PeerKind> peers(Scenario scenario) {
		return this.measurements.getOrDefault(scenario, Map.of()).keySet();
	}

	/**
	 * Returns the figures of a scenario, in the order of the report.
	 * @param scenario the scenario
	 * @return the figures, the primary one first
	 */
	List<Metric> metrics(Scenario scenario) {
		return Arrays.stream(Metric.values())
			.filter((metric) -> peers(scenario).stream()
				.anyMatch((peer) -> summaries(scenario, peer).containsKey(metric)))
			.toList();
	}

	List<Measurement> rounds(Scenario scenario, PeerKind peer) {
		return this.measurements.getOrDefault(scenario, Map.of()).getOrDefault(peer, List.of());
	}

	Map<Metric, Summary> summaries(Scenario scenario, PeerKind peer) {
		Map<Metric, List<Double>> values = new EnumMap<>(Metric.class);
		rounds(scenario, peer).forEach((measurement) -> measurement.values()
			.forEach((metric, value) -> values.computeIfAbsent(metric, (added) -> new ArrayList<>()).add(value)));
		Map<Metric, Summary> summaries = new EnumMap<>(Metric.class);
		values.forEach((metric, rounds) -> summaries.put(metric, Summary.of(rounds)));
		return summaries;
	}

	Optional<Double> median(Scenario scenario, PeerKind peer, Metric metric) {
		return Optional.ofNullable(summaries(scenario, peer).get(metric)).map(Summary::median);
	}

	/**
	 * Returns the best of the libraries that are not ours; the limits are no libraries.
	 * @param scenario the scenario
	 * @param metric the figure
	 * @return its best median, if any peer has one
	 */
	Optional<Double> bestPeer(Scenario scenario, Metric metric) {
		Comparator<Double> better = metric.moreIsBetter() ? Comparator.naturalOrder() : Comparator.reverseOrder();
		return peers(scenario).stream()
			.filter((peer) -> !peer.isLimit() && !peer.isOurs())
			.map((peer) -> median(scenario, peer, metric))
			.flatMap(Optional::stream)
			.max(better);
	}

}
