package io.lockable.redis;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import io.lockable.redis.PauseWorker.Kind;
import io.lockable.test.ProcessFaults;
import io.lockable.test.RedisServers;
import io.lockable.test.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three processes contend for locks of every kind and are paused, for less and for more
 * than a lease, while they wait and while they hold. No two holders may believe to hold
 * what only one can have; {@link Belief} says what that means.
 *
 * <p>
 * One run of 10 seconds by default. The system properties {@code lockable.pauses.runs}
 * and {@code lockable.pauses.seconds} ask for a longer campaign, and
 * {@code lockable.pauses.seed} repeats the pauses of a run as far as the machine does.
 */
@Tag("any-jdk")
@Tag("extended")
class PauseCampaignIntegrationTests {

	private static final Logger log = LoggerFactory.getLogger(PauseCampaignIntegrationTests.class);

	private static final List<RedisClients> CLIENTS = List.of(RedisClients.LETTUCE, RedisClients.JEDIS,
			RedisClients.LETTUCE);

	private static final Duration TIME = Duration.ofSeconds(Integer.getInteger("lockable.pauses.seconds", 10));

	private static final int LONGEST_PAUSE_MILLIS = 3500;

	private static final int LONGEST_LEASE_MILLIS = 2000;

	private final RedisTestServer server = RedisServers.start();

	private final ProcessFaults faults = new ProcessFaults();

	private final List<ChildJvm> children = new ArrayList<>();

	@TempDir
	Path directory;

	private int pauses;

	private int longPauses;

	static IntStream seeds() {
		int first = Integer.getInteger("lockable.pauses.seed", new Random().nextInt(1_000_000));
		return IntStream.range(first, first + Integer.getInteger("lockable.pauses.runs", 1));
	}

	@AfterEach
	void close() {
		this.faults.close();
		this.children.forEach(ChildJvm::close);
		this.server.close();
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void pausedProcessesNeverBelieveToHoldWhatOthersHold(int seed) throws Exception {
		Random random = new Random(seed);
		for (RedisClients client : CLIENTS) {
			this.children.add(ChildJvm.start(PauseWorker.class, client.name(), this.server.host(),
					Integer.toString(this.server.port()), Long.toString(TIME.toMillis()),
					Integer.toString(random.nextInt()), file(this.children.size()).toString()));
		}
		for (ChildJvm child : this.children) {
			assertThat(child.awaitReport(Duration.ofSeconds(90))).isEqualTo("ready");
		}
		this.children.forEach(ChildJvm::goAhead);
		pauseAgainAndAgain(random);
		List<String> lostAndFailed = new ArrayList<>();
		List<Belief> beliefs = new ArrayList<>();
		for (ChildJvm child : this.children) {
			lostAndFailed.add(child.awaitReport(Duration.ofSeconds(90)));
		}
		for (int i = 0; i < this.children.size(); i++) {
			Files.readAllLines(file(i)).stream().map(Belief::parse).forEach(beliefs::add);
		}
		List<String> contradictions = Belief.contradictions(beliefs, PauseWorker.PERMITS);
		log.info("seed {}: {} pauses, {} longer than a lease; beliefs {}; lost and failed {}; contradictions {}", seed,
				this.pauses, this.longPauses, count(beliefs), lostAndFailed, contradictions);
		assertThat(contradictions).as("seed %s", seed).isEmpty();
		assertThat(this.longPauses).isPositive();
		assertThat(count(beliefs)).hasSize(Kind.values().length)
			.allSatisfy((kind, number) -> assertThat(number).as(kind.name()).isGreaterThan(10));
	}

	@SuppressWarnings("checkstyle:noSleep") // the length of a pause
	private void pauseAgainAndAgain(Random random) throws InterruptedException {
		long end = System.nanoTime() + TIME.toNanos();
		while (System.nanoTime() < end) {
			Process process = this.children.get(random.nextInt(this.children.size())).process();
			int millis = 200 + random.nextInt(LONGEST_PAUSE_MILLIS - 200);
			this.faults.freeze(process);
			Thread.sleep(millis);
			this.faults.thaw(process);
			this.pauses++;
			this.longPauses += (millis > LONGEST_LEASE_MILLIS) ? 1 : 0;
			Thread.sleep(50 + random.nextInt(450));
		}
	}

	private Path file(int child) {
		return this.directory.resolve("beliefs-" + child);
	}

	private static Map<Kind, Integer> count(List<Belief> beliefs) {
		Map<Kind, Integer> numbers = new EnumMap<>(Kind.class);
		beliefs.forEach((belief) -> numbers.merge(Kind.valueOf(belief.lock().split("-", -1)[0]), 1, Integer::sum));
		return numbers;
	}

}
