package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A cluster that loses a master while instances contend for its locks.
 */
@Tag("extended")
@Tag("any-jdk")
class ClusterFailoverIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final Duration WAIT = Duration.ofSeconds(8);

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	private final RedisTestCluster cluster = RedisServers.startCluster(3, 1);

	private final Crew crew = new Crew();

	private final AtomicBoolean over = new AtomicBoolean();

	@AfterEach
	void close() {
		this.crew.close();
		this.cluster.close();
	}

	@ParameterizedTest
	@EnumSource
	void lockingGoesOnWithinTheWaitAfterTheLossOfAMaster(RedisClients client) throws Exception {
		RedisTestServer lost = this.cluster.servers().get(0);
		List<String> keys = Stream.generate(Instance::newKey)
			.filter((key) -> this.cluster.masterOf(key).equals(lost))
			.limit(2)
			.toList();
		String elsewhere = Stream.generate(Instance::newKey)
			.filter((key) -> !this.cluster.masterOf(key).equals(lost))
			.findFirst()
			.orElseThrow();
		LockOptions options = LockOptions.defaults().withLease(LEASE).withWaitTime(WAIT);
		Map<String, AtomicInteger> holds = new ConcurrentHashMap<>();
		AtomicInteger storeFailures = new AtomicInteger();
		AtomicInteger elapsedWaits = new AtomicInteger();
		try (Instance one = instance(client); Instance two = instance(client)) {
			for (Instance instance : List.of(one, two)) {
				for (String key : Stream.concat(keys.stream(), Stream.of(elsewhere)).toList()) {
					DistributedLock lock = instance.get(key, options);
					AtomicInteger held = holds.computeIfAbsent((instance.equals(one) ? "one " : "two ") + key,
							(absent) -> new AtomicInteger());
					this.crew.startAll(3, () -> {
						while (!this.over.get()) {
							try (Lease lease = lock.acquire()) {
								held.addAndGet(lease.isHeld() ? 1 : 0);
							}
							catch (LockStoreException ex) {
								storeFailures.incrementAndGet();
							}
							catch (LockNotAcquiredException ex) {
								elapsedWaits.incrementAndGet();
							}
						}
					});
				}
			}
			awaitMore(holds, Duration.ofSeconds(10));
			lost.kill();
			this.cluster.awaitFailover(lost);
			awaitMore(holds, WAIT);
			awaitMore(holds, WAIT);
			this.over.set(true);
			this.crew.join(WAIT.plusSeconds(2));
			for (String key : keys) {
				await().atMost(LEASE.plusSeconds(1))
					.until(() -> this.cluster.masterOf(key).call("EXISTS", key).equals("0"));
			}
			assertThat(elapsedWaits.get()).as("waits that nobody ended").isZero();
		}
	}

	/**
	 * Waits until every instance has held every lock some more times.
	 */
	private static void awaitMore(Map<String, AtomicInteger> holds, Duration within) {
		holds.values().forEach((held) -> held.set(0));
		await().atMost(within)
			.pollInterval(Duration.ofMillis(20))
			.untilAsserted(() -> assertThat(holds.values()).allMatch((held) -> held.get() >= 10));
	}

	private Instance instance(RedisClients client) {
		return Instance.on(client.connect(RedisDeployment.configuration(this.cluster)),
				(builder) -> builder.commandTimeout(COMMAND_TIMEOUT).shutdownTimeout(Duration.ofMillis(100)));
	}

}
