package io.lockable.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import io.lockable.test.redis.RedisServers;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Virtual threads that wait for locks, in a JVM that supports them.
 */
@Tag("extended")
class VirtualThreadIntegrationTests {

	private static final Logger log = LoggerFactory.getLogger(VirtualThreadIntegrationTests.class);

	private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

	private static final int FIRST_USES = 10;

	@Test
	void tenThousandWaitersPinNoCarrierAndNeedAHandfulOfPlatformThreads() throws Exception {
		Optional<Path> java = javaWithVirtualThreads();
		if (java.isEmpty()) {
			log.warn("NOT TESTED: locks on virtual threads, as there is no JDK {} or newer on this machine",
					FIRST_WITH_VIRTUAL_THREADS);
			Assumptions.abort("No JDK with virtual threads on this machine");
		}
		try (ChildJvm child = ChildJvm.start(java.orElseThrow(), List.of("-Xmx512m"), VirtualThreadWaiters.class,
				RedisServers.shared().host(), Integer.toString(RedisServers.shared().port()))) {
			String[] parts = child.awaitReport(Duration.ofSeconds(90)).split(" ", 6);
			int[] report = Arrays.stream(parts, 0, 5).mapToInt(Integer::parseInt).toArray();
			assertThat(report[0]).as("threads that did not have to wait").isZero();
			assertThat(report[1]).as("threads that had the lock in the end").isEqualTo(10_000);
			assertThat(report[2]).as("threads that failed").isZero();
			assertThat(report[3]).as("platform threads on top").isLessThan(30);
			// A path that pins does so for each of the waiters. A few are first uses that
			// the event does not name.
			assertThat(report[4]).as("carriers pinned in our code, first by %s", parts[5]).isLessThan(FIRST_USES);
		}
	}

	private static Optional<Path> javaWithVirtualThreads() throws IOException {
		if (Runtime.version().feature() >= FIRST_WITH_VIRTUAL_THREADS) {
			return Optional.of(Path.of(System.getProperty("java.home")));
		}
		Path installed = Path.of("/usr/lib/jvm");
		if (!Files.isDirectory(installed)) {
			return Optional.empty();
		}
		try (Stream<Path> homes = Files.list(installed)) {
			return homes.filter((home) -> feature(home) >= FIRST_WITH_VIRTUAL_THREADS).findFirst();
		}
	}

	/**
	 * Reads the Java version of a JDK from its {@code release} file.
	 */
	private static int feature(Path home) {
		try {
			return Files.readAllLines(home.resolve("release"))
				.stream()
				.filter((line) -> line.startsWith("JAVA_VERSION="))
				.map((line) -> line.replaceAll("JAVA_VERSION=\"(\\d+).*", "$1"))
				.mapToInt(Integer::parseInt)
				.findFirst()
				.orElse(0);
		}
		catch (IOException | UncheckedIOException ex) {
			return 0;
		}
	}

}
