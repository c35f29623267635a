package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.test.redis.CommandLog;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The order in which the waiters of a fair lock acquire it.
 */
@Tag("extended")
@Tag("servers")
@ParameterizedClass
@EnumSource
class FairLockIntegrationTests {

	private static final LockOptions FAIR = Instance.waiting(Duration.ofSeconds(120))
		.withLease(Duration.ofSeconds(60))
		.withFair(true);

	private final RedisTestServer server = RedisServers.start();

	private final RedisClients client;

	private final List<Instance> instances = new ArrayList<>();

	FairLockIntegrationTests(RedisClients client) {
		this.client = client;
	}

	@AfterEach
	void close() {
		this.instances.forEach(Instance::close);
		this.server.close();
	}

	private Instance start() {
		Instance instance = Instance.start(this.client, this.server);
		this.instances.add(instance);
		return instance;
	}

	@Test
	void tenClientsWithTwentyWaitersEachGetTheLockInTheOrderOfArrival() throws Exception {
		Lease first = start().get("a", FAIR).tryAcquire().orElseThrow();
		for (int i = 0; i < 10; i++) {
			start();
		}
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		List<Integer> entered = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 200; i++) {
			int number = i;
			CompletableFuture<Lease> next = this.instances.get(1 + i % 10).get("a", FAIR).acquireAsync();
			Instance.awaitWaiters(this.server, "a", i + 1);
			waiting.add(next.thenApply((lease) -> {
				entered.add(number);
				lease.close();
				return lease;
			}));
		}
		assertThat(entered).isEmpty();
		long token = first.fencingToken();
		assertThat(first.release()).isTrue();
		for (CompletableFuture<Lease> next : waiting) {
			Lease lease = next.get(30, TimeUnit.SECONDS);
			assertThat(lease.fencingToken()).isGreaterThan(token);
			token = lease.fencingToken();
		}
		assertThat(entered).hasSize(200).isSorted();
	}

	@Test
	void killedHeadOfTheQueueDelaysItByLessThanTwoSecondsAndCausesNoBusyLoop() throws Exception {
		Instance instance = start();
		Lease first = instance.get("a", FAIR).tryAcquire().orElseThrow();
		try (ChildJvm child = ChildJvm.start(FairWaiters.class, "a", "60000", "1",
				this.server.host() + ":" + this.server.port())) {
			child.awaitReport(Duration.ofSeconds(60));
			Instance.awaitWaiters(this.server, "a", 1);
			List<CompletableFuture<Lease>> behind = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				behind.add(instance.get("a", FAIR).acquireAsync());
				Instance.awaitWaiters(this.server, "a", 2 + i);
			}
			try (CommandLog log = CommandLog.start(this.server); Hiccups hiccups = Hiccups.start()) {
				child.kill();
				long start = System.nanoTime();
				assertThat(first.release()).isTrue();
				for (CompletableFuture<Lease> next : behind) {
					assertThat(next.get(10, TimeUnit.SECONDS).release()).isTrue();
				}
				assertThat(Duration.ofNanos(System.nanoTime() - start))
					.isLessThan(hiccups.allow(Duration.ofSeconds(2)));
				assertThat(log.read()).filteredOn("EVALSHA"::equals)
					.as("one release each, and at most one extension of each grant")
					.hasSizeBetween(1 + 5, 1 + 2 * 5);
			}
		}
	}

}
