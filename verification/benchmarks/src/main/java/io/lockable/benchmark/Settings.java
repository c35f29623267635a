package io.lockable.benchmark;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.peer.Store;
import io.lockable.benchmark.scenario.Pace;
import io.lockable.benchmark.scenario.Scenario;
import io.lockable.benchmark.scenario.Scenarios;
import io.lockable.harness.process.Flags;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisNode;

/**
 * The settings from the command line.
 *
 * @param store the server under test
 * @param scenarios the scenarios
 * @param peers the peers
 * @param rounds the number of measurements of each cell
 * @param pace the durations of the phases of a cell
 * @param roundTrip the round trip of a network between clients and server; zero for
 * loopback
 * @param redis a running server, or {@code null} to start one
 * @param out the folder of the results
 */
record Settings(Store store, List<Scenario> scenarios, List<PeerKind> peers, int rounds, Pace pace, Duration roundTrip,
		@Nullable InetSocketAddress redis, Path out) {

	static final String USAGE = """
			Usage: run [flags]
			  --store postgresql the server under test, and its peers         (default: redis)
			  --scenarios A,B    scenarios or letters that they start with   (all: %s)
			  --peers ours,limit peers or families                           (all: %s)
			  --rounds 3         how often everything is measured
			  --seconds 3        measured time of a cell
			  --warmup 2         seconds before a cell is measured
			  --renewal 30       seconds that leases are renewed in F, twice
			  --round-trip 0.5ms a network in front of it: ms, us or s     (default: 0ms, loopback)
			  --redis host:port  a Redis for exclusive use                     (default: starts one)
			  --out folder       where results.md and results.json go        (default: target/benchmarks)
			""".formatted(String.join(", ", Scenarios.ALL.stream().map(Scenario::id).toList()),
			String.join(", ", Arrays.stream(PeerKind.values()).map(PeerKind::label).toList()));

	private static final Set<String> FLAGS = Set.of("--store", "--scenarios", "--peers", "--rounds", "--seconds",
			"--warmup", "--renewal", "--round-trip", "--redis", "--out");

	static Settings parse(String... arguments) {
		Flags flags = Flags.parse(FLAGS, arguments);
		Store store = Store.valueOf(flags.get("--store", "redis").toUpperCase(Locale.ROOT));
		List<PeerKind> all = Arrays.stream(PeerKind.values()).filter((kind) -> kind.store() == store).toList();
		List<PeerKind> peers = flags.select("--peers", all,
				(name) -> all.stream().filter((kind) -> kind.is(name)).toList());
		int rounds = Integer.parseInt(flags.get("--rounds", "3"));
		Pace pace = new Pace(flags.seconds("--warmup", "2"), flags.seconds("--seconds", "3"),
				flags.seconds("--renewal", "30"));
		return new Settings(store, flags.select("--scenarios", Scenarios.ALL, Scenarios::select), peers, rounds, pace,
				flags.duration("--round-trip", "0ms"),
				flags.find("--redis")
					.map(RedisNode::fromString)
					.map((node) -> new InetSocketAddress(node.getRequiredHost(), node.getRequiredPort()))
					.orElse(null),
				Path.of(flags.get("--out", "target/benchmarks")));
	}

}
