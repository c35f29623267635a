package io.lockable.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The outcome of calls while a cluster moves the slot of their locks to another master.
 * Scripts have several keys, so the server answers TRYAGAIN while only some of them have
 * moved.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class ClusterReshardIntegrationTests {

	private static final Duration MOVING = Duration.ofMillis(500);

	private static final LockOptions PATIENT = Instance.waiting(Duration.ofSeconds(20));

	@AutoClose
	private static final RedisTestCluster cluster = RedisServers.startCluster(3, 0);

	private final String key = Instance.newKey();

	private final Instance one;

	private final Instance two;

	private final Crew crew = new Crew();

	ClusterReshardIntegrationTests(RedisClients client) {
		this.one = instance(client);
		this.two = instance(client);
	}

	private static Instance instance(RedisClients client) {
		Instance instance = Instance.on(client.connect(RedisDeployment.configuration(cluster)),
				(builder) -> builder.shutdownTimeout(Duration.ofMillis(100)));
		// Connects and subscribes.
		String key = Instance.newKey();
		instance.engine().get(key).tryAcquire().orElseThrow().close();
		return instance;
	}

	@AfterEach
	void close() {
		this.crew.close();
		this.one.close();
		this.two.close();
	}

	@Test
	void acquirerOfAFreeLockWaitsUntilItsSlotWasMoved() throws Exception {
		RedisTestServer target = target();
		Future<?>[] waiting = new Future<?>[1];
		cluster.moveSlot(this.key, target, () -> {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.one.get(this.key)::tryAcquire)
				.withMessageContaining("TRYAGAIN")
				.withMessageContaining("'" + this.key + "'");
			assertThat(this.one.get(this.key).isLocked()).isFalse();
			waiting[0] = this.crew.start(this.one.get(this.key, PATIENT)::acquire);
			keepsOn(() -> !waiting[0].isDone());
		});
		Lease lease = (Lease) waiting[0].get(3, TimeUnit.SECONDS);
		assertThat(target.call("GET", this.key)).isEqualTo(lease.owner());
		assertThat(this.two.get(this.key).tryAcquire()).isEmpty();
		assertThat(lease.release()).isTrue();
		assertThat(target.call("EXISTS", this.key)).isEqualTo("0");
	}

	@Test
	void heldLockIsRenewedAndGrantedWhenItsSlotWasMoved() throws Exception {
		RedisTestServer target = target();
		LockOptions renewed = LockOptions.defaults().withLease(Duration.ofMillis(4800));
		Lease lease = this.one.get(this.key, renewed).tryAcquire().orElseThrow();
		Future<Lease> queued = this.crew.start(this.two.get(this.key, PATIENT)::acquire);
		Instance.awaitWaiters(cluster.masterOf(this.key), this.key, 1);
		cluster.moveSlot(this.key, target, () -> {
			// Longer than the rest of the lease when its renewal is due
			keepsOn(() -> lease.isHeld() && !queued.isDone(), Duration.ofMillis(2400));
			assertThat(this.two.get(this.key).isLocked()).isTrue();
			// Half of the keys have moved.
			RedisTestServer source = cluster.masterOf(this.key);
			assertThat(source.call("MIGRATE", target.host(), Integer.toString(target.port()), this.key, "0", "5000"))
				.isEqualTo("OK");
			keepsOn(() -> lease.isHeld() && !queued.isDone(), Duration.ofMillis(600));
			assertThat(this.two.get(this.key).isLocked()).isTrue();
		});
		// The lease that was acquired before the move has expired by then.
		keepsOn(() -> lease.isHeld() && !queued.isDone(), Duration.ofSeconds(3));
		assertThat(target.call("GET", this.key)).isEqualTo(lease.owner());
		long before = System.nanoTime();
		assertThat(lease.release()).isTrue();
		Lease granted = queued.get(10, TimeUnit.SECONDS);
		assertThat(Duration.ofNanos(System.nanoTime() - before)).as("hand-off").isLessThan(Duration.ofSeconds(4));
		assertThat(granted.fencingToken()).isGreaterThan(lease.fencingToken());
		assertThat(target.call("GET", this.key)).isEqualTo(granted.owner());
		assertThat(granted.release()).isTrue();
	}

	@Test
	void releaseWhileItsSlotIsMovedIsDoneAfterwards() throws Exception {
		RedisTestServer target = target();
		LockOptions longLease = PATIENT.withLease(Duration.ofSeconds(60));
		Lease lease = this.one.get(this.key, longLease).tryAcquire().orElseThrow();
		Future<Lease> queued = this.crew.start(this.two.get(this.key, longLease)::acquire);
		Instance.awaitWaiters(cluster.masterOf(this.key), this.key, 1);
		cluster.moveSlot(this.key, target, () -> {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(lease::release)
				.withMessageContaining("TRYAGAIN");
			keepsOn(() -> !queued.isDone());
		});
		Lease granted = queued.get(3, TimeUnit.SECONDS);
		assertThat(target.call("GET", this.key)).isEqualTo(granted.owner());
		assertThat(granted.release()).isTrue();
	}

	@Test
	void waiterThatGivesUpWhileItsSlotIsMovedLeavesNothingBehind() throws Exception {
		RedisTestServer target = target();
		Lease lease = this.one.get(this.key, PATIENT).tryAcquire().orElseThrow();
		DistributedLock lock = this.two.get(this.key, Instance.waiting(Duration.ofMillis(700)));
		Future<Optional<Lease>> waiting = this.crew.start(() -> lock.tryAcquire(Duration.ofMillis(700)));
		Instance.awaitWaiters(cluster.masterOf(this.key), this.key, 1);
		cluster.moveSlot(this.key, target, () -> keepsOn(lease::isHeld, Duration.ofSeconds(1)));
		assertThat(waiting.get(3, TimeUnit.SECONDS)).isEmpty();
		await().atMost(Duration.ofSeconds(3))
			.untilAsserted(() -> assertThat(target.call("EXISTS", "{" + this.key + "}:queue")).isEqualTo("0"));
		assertThat(lease.release()).isTrue();
	}

	private RedisTestServer target() {
		RedisTestServer source = cluster.masterOf(this.key);
		return cluster.servers().stream().filter((server) -> !server.equals(source)).findFirst().orElseThrow();
	}

	private static void keepsOn(BooleanSupplier condition) {
		keepsOn(condition, MOVING);
	}

	private static void keepsOn(BooleanSupplier condition, Duration time) {
		await().pollInterval(Duration.ofMillis(20))
			.during(time)
			.atMost(time.plusSeconds(5))
			.until(condition::getAsBoolean);
	}

}
