package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockOptions;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Subscriptions of instances under load, on a cluster that loses the master that serves
 * them.
 */
@Tag("extended")
@Tag("any-jdk")
class ClusterSubscriptionIntegrationTests {

	private static final Duration WAIT = Duration.ofSeconds(8);

	private final RedisTestCluster cluster = RedisServers.startCluster(3, 1);

	private final Crew crew = new Crew();

	private final AtomicBoolean over = new AtomicBoolean();

	private final AtomicInteger holds = new AtomicInteger();

	private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	ClusterSubscriptionIntegrationTests() {
		this.log.start();
		this.root.addAppender(this.log);
	}

	@AfterEach
	void close() {
		this.root.detachAppender(this.log);
		this.crew.close();
		this.cluster.close();
	}

	@ParameterizedTest
	@EnumSource
	void subscriptionThatLosesItsMasterMovesToAnother(RedisClients client) throws Exception {
		try (Instance one = instance(client); Instance two = instance(client)) {
			for (Instance instance : List.of(one, two)) {
				for (int key = 0; key < 4; key++) {
					DistributedLock lock = instance.get("k" + key,
							LockOptions.defaults().withLease(Duration.ofSeconds(3)).withWaitTime(WAIT));
					this.crew.startAll(3, () -> contend(lock));
				}
			}
			await().atMost(Duration.ofSeconds(20)).until(() -> subscriptions(this.cluster.servers()) == 2);
			RedisTestServer lost = this.cluster.servers()
				.stream()
				.filter((server) -> subscriptions(List.of(server)) > 0)
				.findFirst()
				.orElseThrow();
			lost.kill();
			this.cluster.awaitFailover(lost);
			List<RedisTestServer> left = this.cluster.servers()
				.stream()
				.filter((server) -> !server.equals(lost))
				.toList();
			await().atMost(Duration.ofSeconds(10)).until(() -> subscriptions(left) == 2);
			int before = this.holds.get();
			await().atMost(WAIT).until(() -> this.holds.get() > before + 100);
			this.over.set(true);
			this.crew.join(WAIT.plusSeconds(2));
			assertThat(this.log.list).filteredOn((event) -> event.getLevel() == Level.ERROR).isEmpty();
			assertThat(this.log.list).extracting(ILoggingEvent::getFormattedMessage)
				.filteredOn((text) -> text.contains("subscription to grants of locks is lost"))
				.hasSizeLessThanOrEqualTo(2);
		}
	}

	private void contend(DistributedLock lock) throws InterruptedException {
		while (!this.over.get()) {
			try (Lease lease = lock.acquire()) {
				this.holds.incrementAndGet();
			}
			catch (LockException ex) {
				// During the failover
			}
		}
	}

	private static int subscriptions(List<RedisTestServer> servers) {
		return servers.stream()
			.mapToInt((server) -> (int) server.call("PUBSUB", "CHANNELS", "lockable:inbox:????????????????")
				.lines()
				.filter((line) -> !line.isBlank())
				.count())
			.sum();
	}

	private Instance instance(RedisClients client) {
		return Instance.on(client.connect(RedisDeployment.configuration(this.cluster)),
				(builder) -> builder.commandTimeout(Duration.ofSeconds(1)).shutdownTimeout(Duration.ofMillis(100)));
	}

}
