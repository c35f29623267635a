package io.lockable.matrix;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * application has: classes are loaded, and nothing is compiled yet. Measured is the time
 * that the starting thread computes, which is what users wait for on a free machine; what
 * a busy machine does meanwhile is in the wall clock only. Other work on the machine can
 * only lengthen a start, so the least of several starts is compared, and these take
 * turns, for both to meet the same load. Where even the least start of the bare
 * application takes longer than {@value #USUAL} ms, the processor is slower than usual,
 * and the limit of {@value #LIMIT} ms grows with it.
 */
@EnabledIfSystemProperty(named = "lockable.matrix.start-up", matches = "measured")
@With({ Part.REDIS, Part.SERVLET, Part.ASPECTJ })
class StartUpIntegrationTests {

	private static final int STARTS = 5;

	private static final long LIMIT = 150;

	private static final long USUAL = 1500;

	private static final List<String> OF_THE_STARTER = List.of("lock-core-", "lock-redis-", "lock-spring-boot-",
			"aspectjweaver-");

	@TempDir
	private Path folder;

	@Test
	@Timeout(value = 8, unit = TimeUnit.MINUTES)
	void starterAddsLittleToTheStart() throws Exception {
		String with = classPath((jar) -> true);
		String without = classPath((jar) -> OF_THE_STARTER.stream().noneMatch(jar::startsWith));
		assertThat(with.length() - without.length()).as("what the starter brings").isPositive();
		long least = Long.MAX_VALUE;
		long bare = Long.MAX_VALUE;
		for (int i = 0; i < STARTS; i++) {
			bare = Math.min(bare, start(without));
			least = Math.min(least, start(with));
		}
		assertThat(least - bare).as("start of %s ms instead of %s ms", least, bare)
			.isLessThanOrEqualTo(LIMIT * Math.max(bare, USUAL) / USUAL);
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

	private long start(String classPath) throws IOException, InterruptedException {
		Path result = this.folder.resolve("result");
		Path log = this.folder.resolve("log");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-D" + StartUpApplication.RESULT + "=" + result, "-cp", classPath, StartUpApplication.class.getName(),
				"--server.port=0", "--spring.main.banner-mode=off")
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		assertThat(process.waitFor()).withFailMessage(() -> contentOf(log.toFile())).isZero();
		return Long.parseLong(Files.readString(result));
	}

}
