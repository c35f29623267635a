package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.store.Refused;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Waiters on a cluster, where the releasing server cannot count subscribers. A dead
 * waiter may be granted the lock, but it blocks the others no longer than documented.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class ClusterWaiterIntegrationTests {

	private static final LockOptions PATIENT = Instance.waiting(Duration.ofSeconds(30))
		.withLease(Duration.ofSeconds(60));

	private static RedisTestCluster cluster;

	private final String key = Instance.newKey();

	private final RedisClients client;

	private final Instance one;

	private final Instance two;

	private final Crew crew = new Crew();

	ClusterWaiterIntegrationTests(RedisClients client) {
		this.client = client;
		this.one = instance();
		this.two = instance();
	}

	@BeforeAll
	static void start() {
		cluster = RedisServers.startCluster(3, 1);
	}

	@AfterAll
	static void end() {
		cluster.close();
	}

	private Instance instance() {
		return Instance.on(this.client.connect(RedisDeployment.configuration(cluster)),
				(builder) -> builder.shutdownTimeout(Duration.ofMillis(100)));
	}

	@AfterEach
	void close() {
		this.crew.close();
		this.one.close();
		this.two.close();
	}

	@Test
	void grantsReachWaitersWhateverServerTheyListenOn() throws Exception {
		for (int round = 0; round < 20; round++) {
			String each = Instance.newKey();
			Lease lease = this.one.get(each, PATIENT).tryAcquire().orElseThrow();
			Future<Lease> waiting = this.crew.start(this.two.get(each, PATIENT)::acquire);
			awaitWaiters(each, 1);
			long before = System.nanoTime();
			assertThat(lease.release()).isTrue();
			assertThat(waiting.get(5, TimeUnit.SECONDS).release()).isTrue();
			assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(4));
		}
	}

	@Test
	void killedWaiterAtTheHeadHoldsOthersUpForOneWaiterTimeout() throws Exception {
		Lease lease = this.one.get(this.key, PATIENT).tryAcquire().orElseThrow();
		queueDeadWaiter(Duration.ofSeconds(60));
		Future<Lease> waiting = this.crew.start(this.two.get(this.key, PATIENT)::acquire);
		awaitWaiters(this.key, 2);
		long before = System.nanoTime();
		assertThat(lease.release()).isTrue();
		assertThat(master().call("GET", this.key)).as("the lock was given to the dead waiter").isEqualTo("dead");
		assertThat(waiting.get(20, TimeUnit.SECONDS).release()).isTrue();
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(
				RedisLockStore.DEFAULT_WAITER_TIMEOUT.minusSeconds(1),
				RedisLockStore.DEFAULT_WAITER_TIMEOUT.plusSeconds(5));
	}

	@Test
	void waiterThatHasNotAskedForLongIsPassedOver() throws Exception {
		Lease lease = this.one.get(this.key, PATIENT).tryAcquire().orElseThrow();
		queueDeadWaiter(Duration.ofSeconds(60));
		StoreContractIntegrationTests.silence(this.one.template(), this.key, "dead");
		Future<Lease> waiting = this.crew.start(this.two.get(this.key, PATIENT)::acquire);
		awaitWaiters(this.key, 2);
		long before = System.nanoTime();
		assertThat(lease.release()).isTrue();
		assertThat(waiting.get(5, TimeUnit.SECONDS).release()).isTrue();
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(4));
	}

	@Test
	void keysOfDifferentSlotsAreLockedTogether() {
		List<String> keys = List.of(keyOn(0), keyOn(1), keyOn(2));
		try (Lease all = this.one.engine().getAll(keys, PATIENT).tryAcquire().orElseThrow()) {
			assertThat(all.isHeld()).isTrue();
			keys.forEach((each) -> {
				assertThat(cluster.masterOf(each).call("GET", each)).isNotEqualTo("(nil)");
				assertThat(this.two.get(each).tryAcquire()).isEmpty();
			});
		}
		keys.forEach((each) -> assertThat(this.two.get(each).isLocked()).isFalse());
	}

	@Test
	void companionsShareTheSlotOfAKeyWithItsOwnHashTag() {
		String tagged = "order:{" + this.key + "}:lines";
		try (Lease lease = this.one.get(tagged).tryAcquire().orElseThrow()) {
			assertThat(lease.isHeld()).isTrue();
			RedisTestServer master = cluster.masterOf(this.key);
			assertThat(cluster.masterOf(tagged)).isEqualTo(master);
			assertThat(master.call("GET", tagged)).isEqualTo(lease.owner());
			assertThat(master.call("EXISTS", tagged + ":fence")).isEqualTo("0");
			assertThat(this.two.get(tagged).tryAcquire()).isEmpty();
		}
	}

	/**
	 * Leaves the data of an instance that was killed while it waited.
	 */
	private void queueDeadWaiter(Duration lease) {
		try (RedisLockStore dead = new RedisLockStore(this.two.template())) {
			assertThat(dead.enqueue(this.key, "dead", lease, false)).succeedsWithin(Duration.ofSeconds(5))
				.isInstanceOf(Refused.class);
		}
	}

	private static String keyOn(int master) {
		RedisTestServer server = cluster.servers().get(master);
		String key = Instance.newKey();
		while (!cluster.masterOf(key).equals(server)) {
			key = Instance.newKey();
		}
		return key;
	}

	private RedisTestServer master() {
		return cluster.masterOf(this.key);
	}

	private void awaitWaiters(String name, int count) {
		RedisTestServer master = cluster.masterOf(name);
		await().atMost(Duration.ofSeconds(10))
			.pollInterval(Duration.ofMillis(10))
			.until(() -> master.call("LLEN", "{" + name + "}:queue").equals(Integer.toString(count)));
	}

}
