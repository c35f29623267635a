package io.lockable.benchmark.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Summary;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Scenario;

/**
 * All figures of a run so far. Not thread-safe.
 */
public final class Results {

	private final Map<Scenario, Map<PeerKind, List<Map<Metric, Double>>>> measurements = new LinkedHashMap<>();

	private final List<String> failures = new ArrayList<>();

	private boolean ourFailure;

	/**
	 * Adds the figures of a cell in one round.
	 * @param scenario the scenario
	 * @param peer the peer
	 * @param measurement the figures
	 */
	public void add(Scenario scenario, PeerKind peer, Map<Metric, Double> measurement) {
		this.measurements.computeIfAbsent(scenario, (added) -> new TreeMap<>())
			.computeIfAbsent(peer, (added) -> new ArrayList<>())
			.add(measurement);
	}

	/**
	 * Adds a cell without valid figures.
	 * @param scenario the scenario
	 * @param peer the peer
	 * @param reason the reason
	 */
	public void addFailure(Scenario scenario, PeerKind peer, String reason) {
		this.failures.add("%s, %s: %s".formatted(scenario.id(), peer.label(), reason));
		this.ourFailure |= peer.isOurs();
	}

	/**
	 * Returns whether a cell of this project has no valid figures.
	 * @return whether a peer of this project failed; a failure of another peer is a
	 * result
	 */
	public boolean hasOurFailure() {
		return this.ourFailure;
	}

	/**
	 * Returns the cells without valid figures.
	 * @return each cell with the reason
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
		return peers(scenario).stream()
			.flatMap((peer) -> summaries(scenario, peer).keySet().stream())
			.distinct()
			.sorted()
			.toList();
	}

	List<Map<Metric, Double>> rounds(Scenario scenario, PeerKind peer) {
		return this.measurements.getOrDefault(scenario, Map.of()).getOrDefault(peer, List.of());
	}

	Map<Metric, Summary> summaries(Scenario scenario, PeerKind peer) {
		return rounds(scenario, peer).stream()
			.flatMap((measurement) -> measurement.entrySet().stream())
			.collect(Collectors.groupingBy(Map.Entry::getKey, TreeMap::new, Collectors
				.collectingAndThen(Collectors.mapping(Map.Entry::getValue, Collectors.toList()), Summary::of)));
	}

	Optional<Double> median(Scenario scenario, PeerKind peer, Metric metric) {
		return Optional.ofNullable(summaries(scenario, peer).get(metric)).map(Summary::median);
	}

	/**
	 * Returns the best figure of the other libraries, without the limits.
	 * @param scenario the scenario
	 * @param metric the metric
	 * @return the best median, or empty if no other library was measured
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
