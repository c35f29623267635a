package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.redis.RedlockServers.RedlockInstance;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Masters that restart empty, one after the other. Each of them stays away for longer
 * than the longest lease.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class RedlockRestartIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(4);

	private static final Duration AWAY = Duration.ofSeconds(5);

	/**
	 * Lettuce connects again after at most twice the time that a master was away.
	 */
	private static final Duration RETURN = Duration.ofSeconds(60);

	private static final LockOptions RENEWED = Instance.waiting(RETURN).withLease(LEASE);

	private final RedisClients client;

	private final RedlockServers servers = RedlockServers.start(3);

	private final List<RedlockInstance> instances = new ArrayList<>();

	private final Crew crew = new Crew();

	private final String key = Instance.newKey();

	RedlockRestartIntegrationTests(RedisClients client) {
		this.client = client;
	}

	@BeforeEach
	void start() {
		for (int i = 0; i < 2; i++) {
			// Longer than the default: a busy machine is not a failed master.
			this.instances.add(this.servers.instance(this.client, Duration.ofSeconds(2)));
		}
	}

	@AfterEach
	void close() {
		this.crew.close();
		this.instances.forEach(RedlockInstance::close);
		this.servers.close();
	}

	@Test
	void renewedLockSurvivesTheRestartOfOneMasterAndTheLossOfAnother() {
		Lease held = hold(0, this.key);
		restartEmpty(this.servers.get(0));
		await().atMost(RETURN).until(() -> holder(this.servers.get(0), held).equals(held.owner()));
		this.servers.get(1).kill();
		await().during(LEASE.multipliedBy(2)).atMost(RETURN).until(held::isHeld);
		assertThat(held.lost().toCompletableFuture()).isNotDone();
		assertThat(held.release()).isTrue();
		assertThat(this.servers.get(0).call("GET", this.key)).isEqualTo("(nil)");
	}

	@Test
	void rollingRestartUnderContentionLosesNoRenewedLock() throws Exception {
		List<Lease> held = IntStream.range(0, 20).mapToObj((i) -> hold(i % 2, this.key + "-" + i)).toList();
		Contention contention = new Contention();
		this.instances.forEach((instance) -> this.crew.startAll(3, () -> contention.run(instance)));
		for (RedisTestServer master : this.servers.all()) {
			restartEmpty(master);
			await().atMost(RETURN)
				.untilAsserted(() -> assertThat(held)
					.allSatisfy((lease) -> assertThat(holder(master, lease)).isEqualTo(lease.owner())));
			contention.awaitEntries(10);
		}
		contention.over.set(true);
		this.crew.join(RETURN);
		assertThat(contention.overlaps).hasValue(0);
		assertThat(contention.stale).hasValue(0);
		assertThat(held).allSatisfy((lease) -> {
			assertThat(lease.lost().toCompletableFuture()).isNotDone();
			assertThat(lease.isHeld()).isTrue();
			assertThat(lease.release()).isTrue();
		});
		for (int i = 0; i < held.size(); i++) {
			try (Lease next = hold((i + 1) % 2, held.get(i).key())) {
				assertThat(next.fencingToken()).isGreaterThan(held.get(i).fencingToken());
			}
		}
	}

	private Lease hold(int instance, String name) {
		return this.instances.get(instance).engine().get(name, RENEWED).tryAcquire().orElseThrow();
	}

	private static void restartEmpty(RedisTestServer master) {
		master.kill();
		await().pollDelay(AWAY).atMost(RETURN).until(() -> true);
		master.restart();
	}

	private static String holder(RedisTestServer master, Lease lease) {
		return master.call("GET", lease.key());
	}

	/**
	 * Threads that contend for one more lock, and find two of them inside.
	 */
	private final class Contention {

		final AtomicBoolean over = new AtomicBoolean();

		final AtomicInteger overlaps = new AtomicInteger();

		final AtomicInteger stale = new AtomicInteger();

		private final AtomicInteger inside = new AtomicInteger();

		private final AtomicInteger entries = new AtomicInteger();

		private final AtomicLong lastToken = new AtomicLong();

		void run(RedlockInstance instance) throws InterruptedException {
			DistributedLock lock = instance.engine().get(RedlockRestartIntegrationTests.this.key, RENEWED);
			while (!this.over.get()) {
				try (Lease lease = lock.acquire()) {
					this.overlaps.addAndGet((this.inside.incrementAndGet() > 1) ? 1 : 0);
					long token = lease.fencingToken();
					this.stale.addAndGet((this.lastToken.getAndSet(token) >= token) ? 1 : 0);
					this.entries.incrementAndGet();
					this.inside.decrementAndGet();
				}
				catch (LockStoreException ex) {
					// The machine was too busy for a majority: the loop retries.
					assertThat(ex).hasMessageContaining(lock.key());
				}
			}
		}

		void awaitEntries(int more) {
			int before = this.entries.get();
			await().atMost(RETURN).until(() -> {
				RedlockRestartIntegrationTests.this.crew.check();
				return this.entries.get() > before + more;
			});
		}

	}

}
