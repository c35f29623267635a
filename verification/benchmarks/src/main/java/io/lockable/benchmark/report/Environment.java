package io.lockable.benchmark.report;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;

/**
 * The environment of a run.
 *
 * @param time the end of the run
 * @param java the JVM
 * @param system the operating system
 * @param processors the number of processors
 * @param server the server
 * @param networkMillis the configured round trip; zero for none
 * @param roundTripMillis the measured round trip
 * @param libraries the jars under comparison
 * @param flags the command line
 */
public record Environment(String time, String java, String system, int processors, String server, double networkMillis,
		double roundTripMillis, List<String> libraries, String flags) {

	private static final List<String> NAMES = List.of("lettuce-core", "jedis", "spring-data-redis", "redisson",
			"spring-integration-redis", "lock4j-redis-template", "shedlock-provider", "spring-integration-jdbc",
			"postgresql", "HikariCP");

	/**
	 * Describes this machine and JVM.
	 * @param server the server
	 * @param network the configured round trip; zero for none
	 * @param roundTrip the measured round trip
	 * @param flags the command line
	 * @return the environment
	 */
	public static Environment current(String server, Duration network, Duration roundTrip, String flags) {
		return new Environment(Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
				System.getProperty("java.vm.name") + " " + Runtime.version(),
				System.getProperty("os.name") + " " + System.getProperty("os.arch"),
				Runtime.getRuntime().availableProcessors(), server, network.toNanos() / 1e6, roundTrip.toNanos() / 1e6,
				comparedJars(), flags);
	}

	private static List<String> comparedJars() {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map((entry) -> String.valueOf(Path.of(entry).getFileName()))
			.filter((jar) -> NAMES.stream().anyMatch(jar::startsWith))
			.map((jar) -> jar.replaceFirst("\\.jar$", ""))
			.toList();
	}

}
