package io.lockable.redis;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import io.lockable.redis.PauseWorker.Kind;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.ProcessFaults;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three processes contend for locks of every kind, over both clients, and are paused
 * while they wait and while they hold. No two holders may believe to hold a lock that
 * admits only one of them; {@link Belief} defines this.
 *
 * <p>
 * The pauses target waiters that are granted the lock while paused and whose lease
 * expires before they resume. Such a waiter finds a stale grant in its socket, and its
 * next poll is due. If the refusal of that poll is read before the grant, the grant must
 * not count. The parameters make this likely:
 * <ul>
 * <li>Each process has one thread for each lock of most kinds. The paused process is
 * therefore the next but one in every queue. It is granted the lock within two holds of
 * at most {@value PauseWorker#LONGEST_HOLD_MILLIS} ms.</li>
 * <li>The waiter timeout is 1 second. A grant then sets a first lease of 1 second at
 * most, and waiters poll every 0.6 seconds. Another process therefore holds the lock at
 * most 1.6 seconds after the grant, and a pause of 1.8 seconds is long enough.</li>
 * <li>Waiters of the other processes poll within that time. They count as alive and are
 * granted the lock when the first lease has expired.</li>
 * <li>A pause ends with dozens of grants in one socket, and with as many polls due at
 * once. The client reads the grants one after the other, so some of the refusals come
 * first. In two of three pauses, a proxy also delays messages by some milliseconds more
 * than answers. That time is shorter than the two holds before the next valid grant.</li>
 * <li>A hold lasts for several samples of {@code isHeld()}, so a believed stale grant
 * overlaps the actual holder.</li>
 * </ul>
 *
 * <p>
 * By default, there is one run of 10 seconds. The system properties
 * {@code lockable.pauses.runs} and {@code lockable.pauses.seconds} set a longer campaign.
 * {@code lockable.pauses.seed} repeats the pauses of a run as far as the machine allows.
 */
@Tag("any-jdk")
@Tag("extended")
class PauseCampaignIntegrationTests {

	private static final Logger log = LoggerFactory.getLogger(PauseCampaignIntegrationTests.class);

	private static final List<RedisClients> CLIENTS = List.of(RedisClients.LETTUCE, RedisClients.JEDIS,
			RedisClients.LETTUCE);

	private static final Duration TIME = Duration.ofSeconds(Integer.getInteger("lockable.pauses.seconds", 10));

	private static final Duration WAITER_TIMEOUT = Duration.ofSeconds(1);

	/**
	 * The first lease of a grant, the poll of another waiter, and some reserve.
	 */
	private static final int LONG_PAUSE_MILLIS = 1800;

	private static final int LONGEST_PAUSE_MILLIS = 3000;

	private static final int LONGEST_DELAY_MILLIS = 50;

	private final Figures figures = new Figures();

	private final RedisTestServer server = RedisServers.start();

	private final ProcessFaults faults = new ProcessFaults();

	private final List<FaultProxy> proxies = new ArrayList<>();

	private final List<ChildJvm> children = new ArrayList<>();

	@TempDir
	Path directory;

	static IntStream seeds() {
		int first = Integer.getInteger("lockable.pauses.seed", new Random().nextInt(1_000_000));
		return IntStream.range(first, first + Integer.getInteger("lockable.pauses.runs", 1));
	}

	@AfterEach
	void close() {
		this.faults.close();
		this.children.forEach(ChildJvm::close);
		this.proxies.forEach(FaultProxy::close);
		this.server.close();
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void pausedProcessesNeverBelieveToHoldWhatOthersHold(int seed) throws Exception {
		Random random = new Random(seed);
		for (RedisClients client : CLIENTS) {
			FaultProxy proxy = FaultProxy.to(this.server);
			this.proxies.add(proxy);
			this.children.add(ChildJvm.start(PauseWorker.class, client.name(), proxy.host(),
					Integer.toString(proxy.port()), Long.toString(TIME.toMillis()), Integer.toString(random.nextInt()),
					file(this.children.size()).toString(), Long.toString(WAITER_TIMEOUT.toMillis())));
		}
		for (ChildJvm child : this.children) {
			assertThat(child.awaitReport(Duration.ofSeconds(90))).isEqualTo("ready");
		}
		this.children.forEach(ChildJvm::goAhead);
		pauseAgainAndAgain(random);
		for (ChildJvm child : this.children) {
			this.figures.addChild(child.awaitReport(Duration.ofSeconds(90)));
		}
		List<Belief> beliefs = new ArrayList<>();
		for (int i = 0; i < this.children.size(); i++) {
			Files.readAllLines(file(i)).stream().map(Belief::parse).forEach(beliefs::add);
		}
		List<String> contradictions = Belief.contradictions(beliefs, PauseWorker.PERMITS);
		beliefs.forEach(
				(belief) -> this.figures.beliefs.merge(Kind.valueOf(belief.lock().split("-", -1)[0]), 1, Integer::sum));
		log.info("seed {}: {}; contradictions {}", seed, this.figures, contradictions);
		assertThat(contradictions).as("seed %s", seed).isEmpty();
		assertThat(this.figures.longPauses).isPositive();
		assertThat(this.figures.unreadGrants).as("grants of paused waiters").isPositive();
		assertThat(this.figures.beliefs).hasSize(Kind.values().length)
			.allSatisfy((kind, number) -> assertThat(number).as(kind.name()).isGreaterThan(10));
	}

	private void pauseAgainAndAgain(Random random) throws InterruptedException {
		long end = System.nanoTime() + TIME.toNanos();
		while (System.nanoTime() < end) {
			pause(random.nextInt(this.children.size()), random);
			sleep(200 + random.nextInt(400));
		}
	}

	private void pause(int child, Random random) throws InterruptedException {
		Process process = this.children.get(child).process();
		FaultProxy proxy = this.proxies.get(child);
		boolean isLong = random.nextInt(3) > 0;
		// Long pauses without delayed messages may miss all grants, so they follow the
		// first stale grant
		boolean late = random.nextInt(3) > 0 || (isLong && this.figures.unreadGrants == 0);
		int millis = isLong ? between(LONG_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS, random)
				: between(200, LONG_PAUSE_MILLIS, random);
		int delay = between(2, LONGEST_DELAY_MILLIS, random);
		if (late) {
			proxy.holdMessages();
		}
		this.faults.freeze(process);
		sleep(millis);
		this.figures.unreadGrants += proxy.heldMessages();
		this.faults.thaw(process);
		if (late) {
			sleep(delay);
			proxy.releaseMessages();
		}
		this.figures.pauses++;
		this.figures.longPauses += isLong ? 1 : 0;
	}

	private static int between(int from, int to, Random random) {
		return from + random.nextInt(to - from);
	}

	@SuppressWarnings("checkstyle:noSleep") // the length of a pause or a gap
	private static void sleep(int millis) throws InterruptedException {
		Thread.sleep(millis);
	}

	private Path file(int child) {
		return this.directory.resolve("beliefs-" + child);
	}

	/**
	 * The figures of a run.
	 */
	private static final class Figures {

		private final Map<Kind, Integer> beliefs = new EnumMap<>(Kind.class);

		// Of all children: acquired, lost, failed
		private final int[] leases = new int[3];

		private int pauses;

		private int longPauses;

		private int unreadGrants;

		void addChild(String report) {
			String[] numbers = report.split(" ", -1);
			Arrays.setAll(this.leases, (i) -> this.leases[i] + Integer.parseInt(numbers[i]));
		}

		@Override
		public String toString() {
			return "acquired, lost and failed %s, beliefs %s; %d pauses, %d of them long, %d unread grants"
				.formatted(Arrays.toString(this.leases), this.beliefs, this.pauses, this.longPauses, this.unreadGrants);
		}

	}

}
