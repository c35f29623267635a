package io.lockable.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.Renewal;
import io.lockable.engine.LockEngine;
import io.lockable.store.Acquisition.Granted;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The outcome of calls when sentinels promote a replica to master.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class FailoverIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(60);

	/**
	 * The longest time until all replicas acknowledge again. It is usually zero.
	 * Occasionally a former master still acts as master, and sentinels demote it only
	 * after about ten seconds.
	 */
	private static final Duration RECOVERY = Duration.ofMinutes(1);

	@AutoClose
	private static final ReplicatedServers servers = new ReplicatedServers();

	private final String key = Instance.newKey();

	private final Crew crew = new Crew();

	private final StringRedisTemplate template;

	private final int failovers;

	FailoverIntegrationTests(RedisClients client) {
		// Twenty failovers in total; Lettuce takes longer to find the new master.
		this.failovers = (client == RedisClients.LETTUCE) ? 6 : 14;
		this.template = servers.connect(client);
	}

	@AfterEach
	void close() {
		servers.resume();
		this.crew.close();
		RedisClients.disconnect(this.template);
	}

	@Test
	void lockThatNoReplicaHasIsNotGranted() {
		try (RedisLockStore store = store(Replicas.MAJORITY)) {
			assertThat(acquireOnceBack(store, this.key)).isInstanceOf(Granted.class);
			store.release(this.key, "owner").toCompletableFuture().join();
			RedisTestServer former = servers.master();
			servers.cutOffReplicas();
			assertThatExceptionOfType(CompletionException.class)
				.isThrownBy(() -> store.acquire(this.key, "owner", LEASE).toCompletableFuture().join())
				.withCauseInstanceOf(LockStoreException.class)
				.withMessageContaining("0 of 2 replicas acknowledged");
			RedisTestServer master = failOver(former);
			assertThat(master.call("EXISTS", this.key)).isEqualTo("0");
			servers.restart(former);
		}
	}

	// Many failovers, of seconds each
	@Test
	@Timeout(value = 6, unit = TimeUnit.MINUTES)
	void acknowledgedLocksAreNotLost() throws Exception {
		try (RedisLockStore store = store(Replicas.MAJORITY)) {
			for (int run = 0; run < this.failovers; run++) {
				int failover = run;
				servers.awaitElectable();
				acquireOnceBack(store, this.key + "-first-" + run);
				RedisTestServer former = servers.master();
				Map<String, String> acknowledged = new ConcurrentHashMap<>();
				AtomicBoolean killed = new AtomicBoolean();
				AtomicBoolean over = new AtomicBoolean();
				String name = this.key + "-" + run + "-";
				AtomicInteger next = new AtomicInteger();
				this.crew.startAll(4, () -> {
					while (!over.get()) {
						String own = name + next.incrementAndGet();
						store.acquire(own, "owner-" + own, LEASE).whenComplete((answer, failure) -> {
							if (answer instanceof Granted) {
								acknowledged.put(own, "owner-" + own);
							}
							over.compareAndSet(false, failure != null && killed.get());
						}).toCompletableFuture().handle((answer, failure) -> answer).join();
					}
				});
				await().atMost(Duration.ofSeconds(10)).until(() -> acknowledged.size() >= 50);
				killed.set(true);
				former.kill();
				this.crew.join(Duration.ofSeconds(30));
				RedisTestServer master = servers.awaitFailover(former);
				acknowledged.forEach((own, owner) -> assertThat(master.call("GET", own))
					.as("of %d locks, after failover %d", acknowledged.size(), failover)
					.isEqualTo(owner));
				servers.restart(former);
			}
		}
	}

	@Test
	void lateHolderOfAStaleMasterIsRefusedByItsFencingToken() {
		LockOptions options = LockOptions.defaults()
			.withLease(Duration.ofSeconds(2))
			.withRenewal(Renewal.OFF)
			.withWaitTime(Duration.ofSeconds(20));
		AtomicLong greatestToken = new AtomicLong();
		// With one of two replicas, the sentinels may elect the other one, which lacks
		// the lock.
		try (LockEngine one = engine(Replicas.ALL)) {
			servers.awaitElectable();
			// Waits for the lease of an earlier attempt, which a former master may still
			// have.
			Lease late = onceBack(() -> acquire(one, options));
			assertThat(write(greatestToken, late)).isTrue();
			RedisTestServer former = servers.master();
			// Its clients stay connected to a silent server.
			former.pause();
			servers.awaitFailover(former);
			StringRedisTemplate other = servers.connect(RedisClients.LETTUCE);
			try (LockEngine two = LockEngine.builder(new RedisLockStore(other, Acknowledgements.of(Replicas.ONE)))
				.build()) {
				Lease next = onceBack(() -> acquire(two, options));
				assertThat(next.fencingToken()).isGreaterThan(late.fencingToken());
				assertThat(late.isHeld()).as("both have it").isFalse();
				assertThat(write(greatestToken, next)).isTrue();
				assertThat(write(greatestToken, late)).as("the late holder wrote").isFalse();
				next.close();
			}
			finally {
				RedisClients.disconnect(other);
				former.resume();
				servers.restart(former);
			}
		}
	}

	private RedisTestServer failOver(RedisTestServer former) {
		former.kill();
		servers.replicas().forEach(RedisTestServer::resume);
		return servers.awaitFailover(former);
	}

	/**
	 * Writes to a resource that rejects a token smaller than the last one.
	 */
	private static boolean write(AtomicLong greatestToken, Lease lease) {
		long token = lease.fencingToken();
		return greatestToken.getAndAccumulate(token, Math::max) <= token;
	}

	private RedisLockStore store(Replicas from) {
		return new RedisLockStore(this.template, Acknowledgements.of(from).withReplicas(ReplicatedServers.REPLICAS));
	}

	private LockEngine engine(Replicas from) {
		return LockEngine.builder(store(from)).shutdownTimeout(Duration.ofMillis(100)).build();
	}

	private static Object acquireOnceBack(RedisLockStore store, String name) {
		return await().atMost(RECOVERY)
			.pollInterval(Duration.ofMillis(20))
			.ignoreExceptions()
			.until(() -> store.acquire(name, "owner", LEASE).toCompletableFuture().join(), Granted.class::isInstance);
	}

	private Lease acquire(LockEngine engine, LockOptions options) {
		try {
			return engine.get(this.key, options).acquire();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Lease onceBack(Supplier<Lease> acquire) {
		return await().atMost(RECOVERY)
			.ignoreExceptionsInstanceOf(LockException.class)
			.until(acquire::get, (lease) -> true);
	}

}
