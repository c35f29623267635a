package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.DistributedLock;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Contention while the subscriptions are killed repeatedly.
 */
@Tag("extended")
@Tag("servers")
class SubscriptionLossIntegrationTests {

	private static final Duration TIME = Duration.ofSeconds(5);

	private final RedisTestServer server = RedisServers.start();

	@AfterEach
	void close() {
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void killedSubscriptionsSlowWaitersDownAndNeverStrandThem(RedisClients client) throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		AtomicInteger kills = new AtomicInteger();
		AtomicInteger changesOfInstance = new AtomicInteger();
		try (Instance one = Instance.start(client, this.server);
				Instance two = Instance.start(client, this.server);
				Witness witness = Witness.connect(this.server);
				Hiccups hiccups = Hiccups.start();
				Crew crew = new Crew()) {
			AtomicInteger last = new AtomicInteger();
			for (Instance instance : List.of(one, two)) {
				DistributedLock lock = instance.get("a");
				int number = instance.equals(one) ? 1 : 2;
				crew.startAll(8, () -> {
					while (!over.get()) {
						long since = System.nanoTime();
						lock.lock();
						changesOfInstance.addAndGet((last.getAndSet(number) != number) ? 1 : 0);
						witness.visit("a", 0, since);
						lock.unlock();
					}
				});
			}
			await().atMost(Duration.ofSeconds(10)).until(() -> witness.entries() > 0);
			await().during(TIME).atMost(TIME.plusSeconds(5)).pollInterval(Duration.ofMillis(200)).until(() -> {
				kills.addAndGet(Integer.parseInt(this.server.call("CLIENT", "KILL", "TYPE", "pubsub")));
				return true;
			});
			over.set(true);
			crew.join(Duration.ofSeconds(10));
			assertThat(kills.get()).as("subscriptions killed").isGreaterThan(10);
			assertThat(changesOfInstance.get()).as("changes between the instances").isGreaterThan(10);
			assertThat(witness.overlaps()).isZero();
			assertThat(witness.longestIdle()).isLessThan(hiccups.allow(Duration.ofSeconds(2)));
			assertThat(this.server.call("EXISTS", "a")).isEqualTo("0");
			long entries = witness.entries();
			assertThat(entries).isGreaterThan(TimeUnit.MILLISECONDS.toSeconds(TIME.toMillis()) * 10);
		}
	}

}
