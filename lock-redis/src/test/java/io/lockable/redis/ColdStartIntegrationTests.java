package io.lockable.redis;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the first calls of an application on a processor that is busy.
 *
 * <p>
 * {@code -Dlockable.cold-starts=40} sets the number of starts.
 */
@EnabledOnOs(OS.LINUX) // taskset
@Tag("extended")
class ColdStartIntegrationTests {

	private static final Logger log = LoggerFactory.getLogger(ColdStartIntegrationTests.class);

	private static final int STARTS = Integer.getInteger("lockable.cold-starts", 12);

	private static final int BUSY = 7;

	private static final Duration LIMIT = Duration.ofMinutes(5);

	// One processor for the application and the busy processes.
	private static final List<String> ONE_PROCESSOR = List.of("taskset", "-c", "0");

	private final RedisTestServer server = RedisServers.shared();

	private final List<Process> busy = new ArrayList<>();

	@BeforeEach
	void start() throws IOException {
		for (int i = 0; i < BUSY; i++) {
			this.busy.add(new ProcessBuilder("taskset", "-c", "0", "sh", "-c", "while :; do :; done").start());
		}
	}

	@AfterEach
	void stop() {
		this.busy.forEach(Process::destroyForcibly);
	}

	static Stream<Arguments> starts() {
		List<RedisClients> clients = List.of(RedisClients.LETTUCE, RedisClients.JEDIS);
		return IntStream.range(0, STARTS)
			.mapToObj((i) -> Arguments.of(clients.get(i % 2), (i % 4 < 2) ? 1 : ColdStart.CALLS));
	}

	@ParameterizedTest
	@MethodSource("starts")
	@Timeout(value = 10, unit = TimeUnit.MINUTES)
	void firstCallsNeverMeetContentionThatThereIsNot(RedisClients client, int keys) throws InterruptedException {
		this.server.call("FLUSHALL");
		try (ChildJvm child = ChildJvm.start(ONE_PROCESSOR, Path.of(System.getProperty("java.home")),
				List.of("-Xmx256m"), ColdStart.class, client.name(), this.server.host(),
				Integer.toString(this.server.port()), Integer.toString(keys))) {
			String outcomes = child.awaitReport(LIMIT);
			log.info("{} with {} keys: {}", client, keys, outcomes);
			assertThat(outcomes.split(" \\| ")).hasSize(ColdStart.CALLS)
				.allMatch((outcome) -> outcome.endsWith(" ms") || outcome.contains("LockStoreException"));
		}
	}

}
