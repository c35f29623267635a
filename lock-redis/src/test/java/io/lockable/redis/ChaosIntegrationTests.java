package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three processes and 10,000 rounds with waiters that are interrupted, cancelled or time
 * out.
 */
@Tag("extended")
class ChaosIntegrationTests {

	private static final int ROUNDS = 3336;

	private static final List<RedisClients> CLIENTS = List.of(RedisClients.LETTUCE, RedisClients.LETTUCE,
			RedisClients.JEDIS);

	private final RedisTestServer server = RedisServers.start();

	private final List<ChildJvm> children = new ArrayList<>();

	@AfterEach
	void close() {
		this.children.forEach(ChildJvm::close);
		this.server.close();
	}

	@Test
	void waitersThatGiveUpLeaveNothingBehindAndNobodyWaitsBesideAFreeLock() throws Exception {
		for (RedisClients client : CLIENTS) {
			this.children.add(ChildJvm.start(ChaosWorker.class, client.name(), this.server.host(),
					Integer.toString(this.server.port()), Integer.toString(ROUNDS), Long.toString(System.nanoTime())));
		}
		for (ChildJvm child : this.children) {
			assertThat(child.awaitReport(Duration.ofSeconds(60))).isEqualTo("ready");
		}
		this.children.forEach(ChildJvm::goAhead);
		List<ChaosReport> reports = new ArrayList<>();
		for (ChildJvm child : this.children) {
			reports.add(ChaosReport.parse(child.awaitReport(Duration.ofMinutes(4))));
		}
		assertThat(reports).allSatisfy((report) -> {
			assertThat(report.entries()).isGreaterThan(ROUNDS / 2);
			assertThat(report.overlaps()).isZero();
			assertThat(report.staleTokens()).isZero();
			assertThat(report.interrupted()).isPositive();
			assertThat(report.cancelled()).isPositive();
			assertThat(report.timedOut()).isPositive();
		});
		long hiccup = reports.stream().mapToLong(ChaosReport::hiccupMillis).max().orElseThrow();
		Duration promise = Hiccups.allow(Duration.ofMillis(100), Duration.ofMillis(hiccup));
		assertThat(reports).as("the machine's own delays are up to %s ms", hiccup)
			.allSatisfy((report) -> assertThat(report.longestIdleMillis()).isLessThanOrEqualTo(promise.toMillis()));
		await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> assertThat(leftovers()).isEmpty());
		assertThat(this.server.call("PUBSUB", "CHANNELS", "*").lines()).hasSize(this.children.size());
		for (ChildJvm child : this.children) {
			child.goAhead();
			assertThat(Long.parseLong(child.awaitReport(Duration.ofSeconds(10)))).as("time to close an idle engine")
				.isLessThan(Hiccups.allow(Duration.ofMillis(900), Duration.ofMillis(hiccup)).toMillis());
		}
		await().atMost(Duration.ofSeconds(5))
			.untilAsserted(() -> assertThat(this.server.call("PUBSUB", "CHANNELS", "*")).isEmpty());
	}

	/**
	 * Returns all keys except the tokens, which expire, and those of the witness.
	 */
	private List<String> leftovers() {
		return this.server.call("KEYS", "*")
			.lines()
			.filter((key) -> !key.startsWith("witness:") && !key.endsWith(":fence"))
			.toList();
	}

}
