package io.lockable.benchmark.report;

import java.util.Optional;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Scenario;
import io.lockable.benchmark.scenario.Scenarios;
import org.jspecify.annotations.Nullable;

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
	 * @param peer the peer; {@code null} for the best, or with {@code absolute}
	 * @param absolute whether it is not divided at all
	 */
	record Basis(String label, @Nullable PeerKind peer, boolean absolute) {

		static final Basis ABSOLUTE = new Basis("", null, true);

		static final Basis BEST_PEER = new Basis("× best peer", null, false);

		static Basis peer(PeerKind peer) {
			return new Basis("× " + peer.label(), peer, false);
		}

		Optional<Double> of(Results results, Scenario scenario, Metric metric) {
			if (this.absolute) {
				return Optional.of(1.0);
			}
			return (this.peer != null) ? results.median(scenario, this.peer, metric)
					: results.bestPeer(scenario, metric);
		}

	}

}
