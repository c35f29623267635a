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
 * What the starter adds to the start of an application that has Redis: the same
 * application is started with what the starter brings on the class path, and without.
 *
 * <p>
 * Each start is in a JVM of its own, since the first start is the only one that an
 * application has: classes are loaded, and nothing is compiled yet. What counts is how
 * long the starting thread computes and waits. The clock on the wall would count the
 * other work of the machine, too.
 *
 * <p>
 * That work still shows in the time of computing, as it takes caches and frequency away,
 * for seconds and by a third. So both applications start at the same time, and on the
 * same processor where it can be chosen: they take turns every few milliseconds, and what
 * slows one slows the other. A pair differs from the next by one part in a hundred then.
 * What still differs can only be too much now and then, so that one pair of a few is
 * enough to hold the limit.
 *
 * <p>
 * The limit is for a machine on which the application without locks computes for
 * {@value #USUAL} ms. Where it needs longer, as on two busy halves of a processor, what
 * the starter computes counts in proportion. What it waits for does not become longer
 * there, and counts in full.
 */
@EnabledIfSystemProperty(named = "lockable.matrix.start-up", matches = "measured")
@With({ Part.REDIS, Part.SERVLET, Part.ASPECTJ })
class StartUpIntegrationTests {

	private static final int PAIRS = 3;

	private static final long LIMIT = 150;

	private static final long USUAL = 1500;

	private static final List<String> OF_THE_STARTER = List.of("lock-core-", "lock-redis-", "lock-spring-",
			"aspectjweaver-");

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
	 * Returns the class path of these tests without what only tests need.
	 */
	private static String classPath(Predicate<String> jars) {
		return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((path) -> jars.test(Path.of(path).getFileName().toString()))
			.filter((path) -> !path.contains("/junit-") && !path.contains("/mockito-"))
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
		// Less compiling and collecting on other threads, which take their turns as well
		command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
				"-D" + StartUpApplication.RESULT + "=" + this.folder.resolve(name), "-cp", classPath,
				StartUpApplication.class.getName(), "--server.port=0", "--spring.main.banner-mode=off"));
		return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log(name)).start();
	}

	// The last one that may be used: the first ones have interrupts to serve
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
	 * What a start took, in milliseconds of the starting thread.
	 *
	 * @param computed how long it computed
	 * @param waited how long it waited for others
	 * @param locks whether there were locks then
	 */
	private record Start(long computed, long waited, boolean locks) {

	}

	/**
	 * Two starts at the same time.
	 *
	 * @param bare without the starter
	 * @param locking with it
	 */
	private record Pair(Start bare, Start locking) {

		long added() {
			long computed = this.locking.computed() - this.bare.computed();
			return computed * USUAL / Math.max(this.bare.computed(), USUAL) + this.locking.waited()
					- this.bare.waited();
		}

	}

}
