package io.lockable.benchmark.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Scenario;
import io.lockable.benchmark.scenario.Scenarios;

/**
 * The targets of this project: figures that its peers must reach, as absolute values or
 * as ratios.
 *
 * @param results the figures of a run
 * @param verdicts the targets so far
 */
record Targets(Results results, List<Verdict> verdicts) {

	// Two, and a margin for occasional commands of the client itself
	private static final double TWO_COMMANDS = 2.01;

	// The network of the targets over a network
	private static final double NETWORK_MILLIS = 0.5;

	private static final Basis ABSOLUTE = new Basis("", (scenario, metric) -> Optional.of(1.0));

	/**
	 * Judges the figures of a run.
	 * @param results the figures
	 * @param environment the environment; some targets apply to loopback only, some to a
	 * network
	 * @return the targets whose figures were measured
	 */
	static List<Verdict> judge(Results results, Environment environment) {
		Targets targets = new Targets(results, new ArrayList<>());
		targets.onRedis();
		targets.retained(environment);
		targets.onPostgresql();
		if (environment.networkMillis() == NETWORK_MILLIS) {
			targets.overNetwork();
		}
		return targets.verdicts;
	}

	private void onRedis() {
		PeerKind ours = PeerKind.OURS_CONFIRMED;
		Basis lettuce = peer(PeerKind.LIMIT_LETTUCE);
		Basis redisson = peer(PeerKind.REDISSON);
		for (String scenario : List.of("A", "B")) {
			atLeast(scenario, ours, Metric.THROUGHPUT, lettuce, 0.95);
			atLeast(scenario, PeerKind.OURS_PIPELINED, Metric.THROUGHPUT, lettuce, 1.5);
			atLeast(scenario, PeerKind.OURS_JEDIS, Metric.THROUGHPUT, peer(PeerKind.LIMIT_SOCKET), 0.9);
			atMost(scenario, ours, Metric.COMMANDS, ABSOLUTE, TWO_COMMANDS);
			atMost(scenario, ours, Metric.CONNECTIONS, ABSOLUTE, 2);
		}
		atLeast("C-empty", ours, Metric.THROUGHPUT, bestPeer(), 8);
		atMost("C-empty", ours, Metric.COMMANDS, ABSOLUTE, 1);
		atLeast("C-empty", ours, Metric.THREAD_SHARE, ABSOLUTE, 0.5);
		atLeast("C-1ms", ours, Metric.THROUGHPUT, bestPeer(), 1.15);
		atLeast("D", ours, Metric.THROUGHPUT, bestPeer(), 1.3);
		atMost("D", ours, Metric.COMMANDS, ABSOLUTE, 1.5);
		atMost("D", ours, Metric.REMOTE_P50, redisson, 0.7);
		atLeast("D", ours, Metric.PROCESS_SHARE, ABSOLUTE, 0.5);
		atLeast("D", ours, Metric.SECTIONS_SHARE, ABSOLUTE, 0.9);
		for (String scenario : List.of("E-200", "E-1000")) {
			atMost(scenario, ours, Metric.WAIT_COMMANDS, ABSOLUTE, 5);
			atMost(scenario, ours, Metric.DRAIN, bestPeer(), 0.4);
		}
		atMost("F", ours, Metric.RENEWAL_RATE, redisson, 1);
		atMost("F", ours, Metric.RENEWAL_RATE_AFTER, redisson, 1);
		atMost("F", ours, Metric.LOST, ABSOLUTE, 0);
		atMost("F", ours, Metric.KEYS_LEFT, ABSOLUTE, 0);
		atLeast("G8", ours, Metric.THROUGHPUT, lettuce, 0.9);
		atMost("I128", ours, Metric.SERVER_CPU, scenario("I2", ours, 1), 1.3);
		atMost("S", ours, Metric.COLD_CPU, peer(PeerKind.SPRING_PUBSUB), 1.5);
		atMost("S", ours, Metric.THOUSAND_CPU, peer(PeerKind.SPRING_PUBSUB), 1.5);
	}

	private void onPostgresql() {
		PeerKind ours = PeerKind.OURS_POSTGRESQL;
		atLeast("A", ours, Metric.THROUGHPUT, peer(PeerKind.SHEDLOCK_JDBC), 1);
		atLeast("C-empty", ours, Metric.THROUGHPUT, peer(PeerKind.SPRING_JDBC), 5);
		atMost("D4", ours, Metric.REMOTE_P50, ABSOLUTE, 10);
	}

	private void retained(Environment environment) {
		PeerKind ours = PeerKind.OURS_RETAINED;
		int processors = environment.processors();
		if (environment.networkMillis() == 0) {
			atLeast("R1", ours, Metric.THROUGHPUT, peer(PeerKind.LIMIT_LETTUCE), 100);
		}
		atMost("R1", ours, Metric.COMMAND_RATE, ABSOLUTE, 4);
		atLeast("R16", ours, Metric.THROUGHPUT, scenario("R1", ours, 1), 0.8 * processors);
		atLeast("R16", ours, Metric.THROUGHPUT, scenario("R1", ours, processors), 0.8);
		double oneWay = environment.roundTripMillis() / 2;
		Basis confirmed = new Basis("× (%s + one way)".formatted(PeerKind.OURS_CONFIRMED.label()), (scenario,
				metric) -> this.results.median(scenario, PeerKind.OURS_CONFIRMED, metric).map((it) -> it + oneWay));
		atMost("Ralt-1", ours, Metric.BURST_P50, confirmed, 1);
	}

	private void overNetwork() {
		PeerKind ours = PeerKind.OURS_RETAINED;
		atLeast("R1", ours, Metric.THROUGHPUT, peer(PeerKind.LIMIT_LETTUCE), 800);
		atMost("Ralt-10", ours, Metric.BURST_P50, peer(PeerKind.OURS_CONFIRMED), 1 / 3.0);
		atMost("D", PeerKind.OURS_CONFIRMED, Metric.REMOTE_TRIPS, ABSOLUTE, 1.7);
	}

	private void atLeast(String scenario, PeerKind peer, Metric metric, Basis basis, double bound) {
		judge(scenario, peer, metric, basis, bound, true);
	}

	private void atMost(String scenario, PeerKind peer, Metric metric, Basis basis, double bound) {
		judge(scenario, peer, metric, basis, bound, false);
	}

	private void judge(String id, PeerKind peer, Metric metric, Basis basis, double bound, boolean atLeast) {
		Scenario scenario = Scenarios.of(id);
		this.results.median(scenario, peer, metric)
			.flatMap((median) -> basis.divisor().apply(scenario, metric).map((divisor) -> median / divisor))
			.ifPresent((reached) -> this.verdicts.add(new Verdict(id, peer.label(), metric, basis.label(), atLeast,
					bound, reached, atLeast ? reached >= bound : reached <= bound)));
	}

	private Basis bestPeer() {
		return new Basis("× best peer", this.results::bestPeer);
	}

	private Basis peer(PeerKind peer) {
		return new Basis("× " + peer.label(), (scenario, metric) -> this.results.median(scenario, peer, metric));
	}

	/**
	 * Returns a multiple of the same figure in another scenario.
	 */
	private Basis scenario(String id, PeerKind peer, int times) {
		return new Basis((times == 1) ? "× " + id : "× %d × %s".formatted(times, id),
				(here, metric) -> this.results.median(Scenarios.of(id), peer, metric).map((value) -> value * times));
	}

	/**
	 * The divisor of a figure.
	 *
	 * @param label the label in the report
	 * @param divisor finds it for a scenario and a figure, if it was measured
	 */
	private record Basis(String label, BiFunction<Scenario, Metric, Optional<Double>> divisor) {
	}

	/**
	 * A target, and the value that was reached.
	 *
	 * @param scenario the name of the scenario
	 * @param peer the peer of this project
	 * @param metric the metric
	 * @param basis the divisor of the figure
	 * @param atLeast whether more is better
	 * @param bound the figure or ratio to reach
	 * @param reached the figure or ratio
	 * @param met whether that is enough
	 */
	record Verdict(String scenario, String peer, Metric metric, String basis, boolean atLeast, double bound,
			double reached, boolean met) {
	}

}
