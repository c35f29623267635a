package io.lockable.redis;

import java.time.Duration;
import java.util.List;

import io.lockable.DistributedLock;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The number of connections of an instance over Lettuce.
 */
class ConnectionCountIntegrationTests {

	private static final int KEYS = 100;

	private final RedisTestServer server = RedisServers.start();

	@AfterEach
	void close() {
		this.server.close();
	}

	@Test
	void contentionOnManyKeysNeedsOneConnectionAndOneSubscriptionAnInstance() throws Exception {
		try (Instance one = Instance.start(RedisClients.LETTUCE, this.server);
				Instance two = Instance.start(RedisClients.LETTUCE, this.server);
				Crew crew = new Crew()) {
			for (int i = 0; i < KEYS; i++) {
				assertThat(one.get("a-" + i).tryLock()).isTrue();
			}
			assertThat(connections()).as("without a waiter").isEqualTo(2);
			for (int i = 0; i < KEYS; i++) {
				DistributedLock lock = two.get("a-" + i, Instance.waiting(Duration.ofSeconds(30)));
				DistributedLock same = one.get("a-" + i, Instance.waiting(Duration.ofSeconds(30)));
				crew.startAll(1, () -> lock.run(() -> {
				}));
				crew.startAll(1, () -> same.run(() -> {
				}));
			}
			String queues = "return #redis.call('KEYS', '{a-*}:queue')";
			await().atMost(Duration.ofSeconds(10))
				.until(() -> this.server.call("EVAL", queues, "0").equals(Integer.toString(KEYS)));
			assertThat(connections()).as("with waiters on %s keys", KEYS).isBetween(3, 4);
			for (int i = 0; i < KEYS; i++) {
				one.get("a-" + i).unlock();
			}
			crew.join(Duration.ofSeconds(30));
			assertThat(connections()).as("after the contention").isLessThanOrEqualTo(4);
			assertThat(this.server.call("PUBSUB", "CHANNELS", "lockable:inbox:????????????????").lines().toList())
				.hasSizeLessThanOrEqualTo(2);
		}
	}

	/**
	 * Counts all connections except the one that asks.
	 */
	private int connections() {
		List<String> clients = this.server.call("CLIENT", "LIST").lines().filter((line) -> !line.isBlank()).toList();
		return clients.size() - 1;
	}

}
