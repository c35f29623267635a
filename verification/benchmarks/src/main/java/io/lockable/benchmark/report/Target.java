package io.lockable.benchmark.report;

import java.util.Optional;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Scenario;
import io.lockable.benchmark.scenario.Scenarios;

/**
 * A figure that a peer of this project must reach, as an absolute value or as a ratio.
 *
 * @param scenario the name of the scenario
 * @param peer the peer of this project
 * @param metric the metric
 * @param basis the divisor of the figure
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
	 * Returns the reached value.
	 * @param results the figures of the run
	 * @return the figure or ratio; empty if a required figure was not measured
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
	 * The divisor of a figure.
	 *
	 * @param label the label in the report
	 * @param divisor finds it in the results
	 */
	record Basis(String label, Divisor divisor) {

		static final Basis ABSOLUTE = new Basis("", (results, scenario, metric) -> Optional.of(1.0));

		static final Basis BEST_PEER = new Basis("× best peer", Results::bestPeer);

		static Basis peer(PeerKind peer) {
			return new Basis("× " + peer.label(),
					(results, scenario, metric) -> results.median(scenario, peer, metric));
		}

		/**
		 * Returns the figure of a peer plus a constant as a basis.
		 * @param peer the peer
		 * @param more the constant
		 * @param name the name of the constant in the report
		 * @return the basis
		 */
		static Basis peerPlus(PeerKind peer, double more, String name) {
			return new Basis("× (%s + %s)".formatted(peer.label(), name),
					(results, scenario, metric) -> results.median(scenario, peer, metric).map((value) -> value + more));
		}

		/**
		 * Returns a multiple of the same figure of a peer in another scenario as a basis.
		 * @param scenario the other scenario
		 * @param peer the peer
		 * @param times the factor
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
	 * Finds the divisor of a figure.
	 */
	@FunctionalInterface
	interface Divisor {

		/**
		 * Finds the divisor.
		 * @param results the figures of the run
		 * @param scenario the scenario of the figure
		 * @param metric the metric
		 * @return the divisor; empty if it was not measured
		 */
		Optional<Double> of(Results results, Scenario scenario, Metric metric);

	}

}
