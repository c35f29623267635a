package io.lockable.matrix;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.contentOf;

/**
 * Measures the cost of the starter at startup. An application with Redis starts with the
 * libraries of the starter on the class path, and without.
 *
 * <p>
 * Each start has its own JVM, because an application starts only once: classes are
 * loaded, and no code is compiled yet. The test measures the CPU time and the wait time
 * of the starting thread. Elapsed time would include other work of the machine.
 *
 * <p>
 * Other work still increases the CPU time by up to a third for seconds, as it takes
 * caches and frequency. Both applications therefore start at the same time, on the same
 * processor if it can be selected. They alternate every few milliseconds, so a slowdown
 * affects both. Pairs then differ by about 1%. The remaining outliers can only be too
 * high, so one pair within the limit is sufficient.
 *
 * <p>
 * The limit applies to a machine on which the application without locks needs
 * {@value #USUAL} ms of CPU time. On a slower machine, such as two busy hyperthreads, the
 * CPU time of the starter is scaled. Its wait time does not grow there and counts in
 * full.
 */
@EnabledIfSystemProperty(named = "lockable.matrix.start-up", matches = "measured")
@With({ Part.REDIS, Part.SERVLET })
class StartUpIntegrationTests {

	private static final int PAIRS = 3;

	private static final long LIMIT = 150;

	private static final long USUAL = 1500;

	private static final List<String> OF_THE_STARTER = List.of("lock-core-", "lock-redis-", "lock-postgresql-",
			"lock-spring-");

	@TempDir
	private Path folder;

	@Test
	@Timeout(value = 5, unit = TimeUnit.MINUTES)
	void starterAddsLittleToTheStart() throws Exception {
		String with = classPath((jar) -> true);
		String without = classPath((jar) -> OF_THE_STARTER.stream().noneMatch(jar::startsWith));
		List<Pair> pairs = new ArrayList<>();
		do {
			pairs.add(start(without, with));
		}
		while (pairs.size() < PAIRS && pairs.get(pairs.size() - 1).added() > LIMIT);
		assertThat(pairs).anySatisfy((pair) -> assertThat(pair.added()).isLessThanOrEqualTo(LIMIT));
	}

	/**
	 * Returns the class path of these tests without libraries that only tests need.
	 */
	private static String classPath(Predicate<String> jars) {
		return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((path) -> jars.test(Path.of(path).getFileName().toString()))
			.filter((path) -> Stream.of("/junit-", "/mockito-", "/aspectjweaver-").noneMatch(path::contains))
			.collect(Collectors.joining(File.pathSeparator));
	}

	private Pair start(String without, String with) throws Exception {
		Process bare = launch("bare", without);
		Process locking = launch("locking", with);
		try {
			Pair pair = new Pair(result("bare", bare), result("locking", locking));
			assertThat(pair.bare().locks()).as("locks without the starter").isFalse();
			assertThat(pair.locking().locks()).as("locks with the starter").isTrue();
			return pair;
		}
		finally {
			bare.destroyForcibly();
			locking.destroyForcibly();
		}
	}

	private Process launch(String name, String classPath) throws IOException {
		List<String> command = onOneProcessor();
		// Reduces compilation and garbage collection on other threads, which share the
		// processor
		command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
				"-D" + StartUpApplication.RESULT + "=" + this.folder.resolve(name), "-cp", classPath,
				StartUpApplication.class.getName(), "--server.port=0", "--spring.main.banner-mode=off"));
		return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log(name)).start();
	}

	// The last permitted processor: the first ones serve interrupts
	private static List<String> onOneProcessor() throws IOException {
		Path status = Path.of("/proc/self/status");
		Path tool = Path.of("/usr/bin/taskset");
		if (!Files.isReadable(status) || !Files.isExecutable(tool)) {
			return new ArrayList<>();
		}
		String last = Files.readAllLines(status)
			.stream()
			.filter((line) -> line.startsWith("Cpus_allowed_list:"))
			.map((line) -> line.replaceFirst(".*[^0-9]", ""))
			.findFirst()
			.orElseThrow();
		return new ArrayList<>(List.of(tool.toString(), "-c", last));
	}

	private Start result(String name, Process process) throws IOException, InterruptedException {
		assertThat(process.waitFor()).withFailMessage(() -> contentOf(log(name))).isZero();
		String[] result = Files.readString(this.folder.resolve(name)).split(" ", 3);
		return new Start(Long.parseLong(result[0]), Long.parseLong(result[1]), Boolean.parseBoolean(result[2]));
	}

	private File log(String name) {
		return this.folder.resolve(name + ".log").toFile();
	}

	/**
	 * The cost of a start, in milliseconds of the starting thread.
	 *
	 * @param computed the CPU time
	 * @param waited the wait time
	 * @param locks whether locks existed
	 */
	private record Start(long computed, long waited, boolean locks) {

	}

	/**
	 * Two concurrent starts.
	 *
	 * @param bare the start without the starter
	 * @param locking the start with it
	 */
	private record Pair(Start bare, Start locking) {

		long added() {
			long computed = this.locking.computed() - this.bare.computed();
			return computed * USUAL / Math.max(this.bare.computed(), USUAL) + this.locking.waited()
					- this.bare.waited();
		}

	}

}
