package io.lockable.benchmark.report;

import java.util.ArrayList;
import java.util.List;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.report.Target.Basis;

/**
 * The targets of this project.
 */
final class Targets {

	// Two, and a margin for occasional commands of the client itself
	private static final double TWO_COMMANDS = 2.01;

	// The network of the targets over a network
	private static final double NETWORK_MILLIS = 0.5;

	private Targets() {
	}

	/**
	 * Returns the targets for an environment.
	 * @param environment the environment; some targets apply to loopback only, some to a
	 * network
	 * @return the targets
	 */
	static List<Target> of(Environment environment) {
		List<Target> targets = new ArrayList<>();
		uncontended(targets, "A");
		uncontended(targets, "B");
		contended(targets);
		crowd(targets, "E-200");
		crowd(targets, "E-1000");
		renewal(targets);
		targets.add(Target.atLeast("G8", PeerKind.OURS_CONFIRMED, Metric.THROUGHPUT, Basis.peer(PeerKind.LIMIT_LETTUCE),
				0.9));
		retained(targets, environment);
		if (environment.networkMillis() == NETWORK_MILLIS) {
			overNetwork(targets);
		}
		return List.copyOf(targets);
	}

	private static void uncontended(List<Target> targets, String scenario) {
		Basis lettuce = Basis.peer(PeerKind.LIMIT_LETTUCE);
		Basis socket = Basis.peer(PeerKind.LIMIT_SOCKET);
		targets.add(Target.atLeast(scenario, PeerKind.OURS_CONFIRMED, Metric.THROUGHPUT, lettuce, 0.95));
		targets.add(Target.atLeast(scenario, PeerKind.OURS_PIPELINED, Metric.THROUGHPUT, lettuce, 1.5));
		targets.add(Target.atLeast(scenario, PeerKind.OURS_JEDIS, Metric.THROUGHPUT, socket, 0.9));
		targets.add(Target.atMost(scenario, PeerKind.OURS_CONFIRMED, Metric.COMMANDS, Basis.ABSOLUTE, TWO_COMMANDS));
		targets.add(Target.atMost(scenario, PeerKind.OURS_CONFIRMED, Metric.CONNECTIONS, Basis.ABSOLUTE, 2));
	}

	private static void contended(List<Target> targets) {
		PeerKind ours = PeerKind.OURS_CONFIRMED;
		targets.add(Target.atLeast("C-empty", ours, Metric.THROUGHPUT, Basis.BEST_PEER, 8));
		targets.add(Target.atMost("C-empty", ours, Metric.COMMANDS, Basis.ABSOLUTE, 1));
		targets.add(Target.atLeast("C-empty", ours, Metric.THREAD_SHARE, Basis.ABSOLUTE, 0.5));
		targets.add(Target.atLeast("C-1ms", ours, Metric.THROUGHPUT, Basis.BEST_PEER, 1.15));
		targets.add(Target.atLeast("D", ours, Metric.THROUGHPUT, Basis.BEST_PEER, 1.3));
		targets.add(Target.atMost("D", ours, Metric.COMMANDS, Basis.ABSOLUTE, 1.5));
		targets.add(Target.atMost("D", ours, Metric.REMOTE_P50, Basis.peer(PeerKind.REDISSON), 0.7));
		targets.add(Target.atLeast("D", ours, Metric.PROCESS_SHARE, Basis.ABSOLUTE, 0.5));
		targets.add(Target.atLeast("D", ours, Metric.SECTIONS_SHARE, Basis.ABSOLUTE, 0.9));
	}

	private static void crowd(List<Target> targets, String scenario) {
		PeerKind ours = PeerKind.OURS_CONFIRMED;
		targets.add(Target.atMost(scenario, ours, Metric.WAIT_COMMANDS, Basis.ABSOLUTE, 5));
		targets.add(Target.atMost(scenario, ours, Metric.DRAIN, Basis.BEST_PEER, 0.4));
	}

	private static void renewal(List<Target> targets) {
		PeerKind ours = PeerKind.OURS_CONFIRMED;
		Basis redisson = Basis.peer(PeerKind.REDISSON);
		targets.add(Target.atMost("F", ours, Metric.RENEWAL_RATE, redisson, 1));
		targets.add(Target.atMost("F", ours, Metric.RENEWAL_RATE_AFTER, redisson, 1));
		targets.add(Target.atMost("F", ours, Metric.LOST, Basis.ABSOLUTE, 0));
		targets.add(Target.atMost("F", ours, Metric.KEYS_LEFT, Basis.ABSOLUTE, 0));
	}

	private static void retained(List<Target> targets, Environment environment) {
		PeerKind ours = PeerKind.OURS_RETAINED;
		if (environment.networkMillis() == 0) {
			targets.add(Target.atLeast("R1", ours, Metric.THROUGHPUT, Basis.peer(PeerKind.LIMIT_LETTUCE), 100));
		}
		targets.add(Target.atMost("R1", ours, Metric.COMMAND_RATE, Basis.ABSOLUTE, 4));
		targets.add(Target.atLeast("R16", ours, Metric.THROUGHPUT, Basis.scenario("R1", ours, 1),
				0.8 * environment.processors()));
		targets.add(Target.atLeast("R16", ours, Metric.THROUGHPUT, Basis.scenario("R1", ours, environment.processors()),
				0.8));
		targets.add(Target.atMost("Ralt-1", ours, Metric.BURST_P50,
				Basis.peerPlus(PeerKind.OURS_CONFIRMED, environment.roundTripMillis() / 2, "one way"), 1));
	}

	private static void overNetwork(List<Target> targets) {
		PeerKind ours = PeerKind.OURS_RETAINED;
		targets.add(Target.atLeast("R1", ours, Metric.THROUGHPUT, Basis.peer(PeerKind.LIMIT_LETTUCE), 800));
		targets.add(Target.atMost("Ralt-10", ours, Metric.BURST_P50, Basis.peer(PeerKind.OURS_CONFIRMED), 1 / 3.0));
		targets.add(Target.atMost("D", PeerKind.OURS_CONFIRMED, Metric.REMOTE_TRIPS, Basis.ABSOLUTE, 1.7));
	}

}
