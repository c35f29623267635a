package io.lockable.benchmark.report;

import java.util.Optional;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Scenario;
import io.lockable.benchmark.scenario.Scenarios;

/**
 * A figure that ours must reach, by itself or as a ratio.
 *
 * @param scenario the name of the scenario
 * @param peer which of ours
 * @param metric the figure
 * @param basis what the figure is divided by
 * @param bound the figure or ratio to reach
 * @param atLeast whether more is better
 */
record Target(String scenario, PeerKind peer, Metric metric, Basis basis, double bound, boolean atLeast) {

	static Target atLeast(String scenario, PeerKind peer, Metric metric, Basis basis, double bound) {
		return new Target(scenario, peer, metric, basis, bound, true);
	}

	static Target atMost(String scenario, PeerKind peer, Metric metric, Basis basis, double bound) {
		return new Target(scenario, peer, metric, basis, bound, false);
	}

	/**
	 * Returns what was reached.
	 * @param results the figures of the run
	 * @return the figure or ratio; empty if not everything it needs was measured
	 */
	Optional<Double> reached(Results results) {
		Scenario where = Scenarios.of(this.scenario);
		Optional<Double> value = results.median(where, this.peer, this.metric);
		return value.flatMap((median) -> this.basis.of(results, where, this.metric).map((divisor) -> median / divisor));
	}

	boolean isMetBy(double value) {
		return this.atLeast ? value >= this.bound : value <= this.bound;
	}

	/**
	 * What a figure is divided by.
	 *
	 * @param label for the report
	 * @param divisor finds it among the results
	 */
	record Basis(String label, Divisor divisor) {

		static final Basis ABSOLUTE = new Basis("", (results, scenario, metric) -> Optional.of(1.0));

		static final Basis BEST_PEER = new Basis("× best peer", Results::bestPeer);

		static Basis peer(PeerKind peer) {
			return new Basis("× " + peer.label(),
					(results, scenario, metric) -> results.median(scenario, peer, metric));
		}

		/**
		 * The figure of a peer and something more.
		 * @param peer the peer
		 * @param more what is added
		 * @param name what is added, for the report
		 * @return the basis
		 */
		static Basis peerPlus(PeerKind peer, double more, String name) {
			return new Basis("× (%s + %s)".formatted(peer.label(), name),
					(results, scenario, metric) -> results.median(scenario, peer, metric).map((value) -> value + more));
		}

		/**
		 * The same figure of the same peer elsewhere, several times.
		 * @param scenario the other scenario
		 * @param peer the peer
		 * @param times how many times
		 * @return the basis
		 */
		static Basis scenario(String scenario, PeerKind peer, int times) {
			return new Basis((times == 1) ? "× " + scenario : "× %d × %s".formatted(times, scenario), (results, here,
					metric) -> results.median(Scenarios.of(scenario), peer, metric).map((value) -> value * times));
		}

		Optional<Double> of(Results results, Scenario scenario, Metric metric) {
			return this.divisor.of(results, scenario, metric);
		}

	}

	/**
	 * Finds what a figure is divided by.
	 */
	@FunctionalInterface
	interface Divisor {

		/**
		 * Finds it.
		 * @param results the figures of the run
		 * @param scenario the scenario of the figure
		 * @param metric the figure
		 * @return the divisor; empty if it was not measured
		 */
		Optional<Double> of(Results results, Scenario scenario, Metric metric);

	}

}
