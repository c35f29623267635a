package io.lockable.autoconfigure.observability;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockException;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.LockEngine;
import io.lockable.engine.inspection.RetainedLock;
import io.lockable.store.InMemoryLockStore;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockMeters}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockMetersTests {

	private static final LockOptions ORDERS = LockOptions.defaults().withName("orders");

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LockMeters meters = new LockMeters(this.registry, "shop");

	private final LockEngine engine = LockEngine.builder(new InMemoryLockStore())
		.listener(this.meters)
		.shutdownTimeout(Duration.ZERO)
		.build();

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	void deadlocksAreCounted() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		new LockMeters(meters, "engine").onEvent(new LockEvent.Deadlocked("k", "orders", List.of(), true, false));
		assertThat(meters.get("lock.deadlocks").tag("lock.name", "orders").counter().count()).isOne();
	}

	@Test
	void acquisitionAndReleaseAreCountedOnce() throws Exception {
		DistributedLock lock = this.engine.get("k", ORDERS);
		lock.run(() -> lock.run(() -> assertThat(gauge("lock.held")).isOne()));
		lock.acquire().close();
		assertThat(count("lock.acquisitions", "lock.outcome", "acquired")).isEqualTo(2);
		assertThat(count("lock.releases", "lock.outcome", "released")).isEqualTo(2);
		assertThat(gauge("lock.held")).isZero();
		assertThat(gauge("lock.waiting")).isZero();
	}

	@Test
	void retainedLocksOfTheLastEngineAreCounted() {
		for (int count = 0; count < 3; count++) {
			LockEngine retaining = mock(LockEngine.class);
			given(retaining.retained())
				.willReturn(Collections.nCopies(count, new RetainedLock("k", "owner", Duration.ofSeconds(1))));
			LockMeters.retained(retaining, "shop").bindTo(this.registry);
			assertThat(this.registry.get("lock.retained").tag("lock.engine", "shop").gauges()).singleElement()
				.satisfies((gauge) -> assertThat(gauge.value()).isEqualTo(retaining.retained().size()));
		}
	}

	@Test
	void eachOutcomeHasItsCounter() throws Exception {
		try (Lease lease = this.engine.get("k", ORDERS).acquire()) {
			assertThat(this.engine.get("k", ORDERS).tryAcquire()).isEmpty();
			assertThat(this.engine.get("k", ORDERS).tryAcquire(Duration.ofMillis(5))).isEmpty();
			CompletableFuture<Lease> waiting = this.engine.get("k", ORDERS.withWaitTime(Duration.ofMinutes(1)))
				.acquireAsync();
			await().until(() -> gauge("lock.waiting") == 1);
			waiting.cancel(true);
			await().until(() -> gauge("lock.waiting") == 0);
			assertThat(gauge("lock.held")).isOne();
		}
		this.meters.acquiring("k", "owner", ORDERS)
			.accept(new LockEvent.Failed("k", "orders", Duration.ZERO, new LockException("down")));
		for (String outcome : new String[] { "acquired", "refused", "timed_out", "cancelled", "failed" }) {
			assertThat(count("lock.acquisitions", "lock.outcome", outcome)).as(outcome).isOne();
		}
		assertThat(gauge("lock.waiting")).isZero();
	}

	@Test
	void lossIsCountedByItsReasonAndTheReleaseAfterItIsLate() throws Exception {
		Lease lease = this.engine.get("k", ORDERS.withLease(Duration.ofSeconds(1)).withRenewal(Renewal.OFF)).acquire();
		await().until(() -> count("lock.lost", "lock.reason", "expired") == 1);
		assertThat(gauge("lock.held")).isZero();
		lease.release();
		assertThat(count("lock.releases", "lock.outcome", "late")).isOne();
		assertThat(count("lock.releases", "lock.outcome", "released")).isZero();
		assertThat(gauge("lock.held")).isZero();
	}

	@Test
	void lagOfRenewalsIsTimed() throws Exception {
		try (Lease lease = this.engine.get("k", ORDERS.withLease(Duration.ofMillis(1500))).acquire()) {
			await().until(() -> this.registry.get("lock.renewal.lag").timer().count() > 0);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void waitsForHoldersAreTimedByThePlaceOfTheHolder() throws Exception {
		InMemoryLockStore store = new InMemoryLockStore();
		try (LockEngine here = LockEngine.builder(store).listener(this.meters).build();
				LockEngine there = LockEngine.builder(store.peer()).build()) {
			DistributedLock lock = here.get("k", ORDERS.withWaitTime(Duration.ofSeconds(20)));
			Lease free = lock.acquire();
			assertThat(handOffs("local") + handOffs("remote")).isZero();
			CompletableFuture<Lease> local = lock.acquireAsync();
			await().until(() -> !here.waiting().isEmpty());
			free.release();
			local.get(10, TimeUnit.SECONDS).release();
			assertThat(handOffs("local")).isOne();
			Lease elsewhere = there.get("k").acquire();
			CompletableFuture<Lease> remote = lock.acquireAsync();
			await().until(() -> there.look("k").waiting() == 1);
			elsewhere.release();
			remote.get(10, TimeUnit.SECONDS).release();
			assertThat(handOffs("remote")).isOne();
			assertThat(handOffs("local")).isOne();
		}
	}

	private long handOffs(String holder) {
		return this.registry.get("lock.handoffs").tags("lock.name", "orders", "lock.holder", holder).timer().count();
	}

	@Test
	void failuresAreCounted() {
		IllegalStateException down = new IllegalStateException("down");
		Consumer<LockEvent> events = this.meters.acquiring("k", "owner", ORDERS);
		events.accept(new LockEvent.Acquired("k", "orders", 1, Duration.ZERO, LockEvent.HandOff.NONE));
		events.accept(new LockEvent.RenewalFailed("k", "orders", 1, Duration.ZERO, down));
		events.accept(new LockEvent.RenewalFailed("k", "orders", 1, Duration.ZERO, down));
		events.accept(new LockEvent.ReleaseFailed("k", "orders", 1, down));
		assertThat(count("lock.renewals.failed")).isEqualTo(2);
		assertThat(count("lock.releases", "lock.outcome", "failed")).isOne();
		assertThat(gauge("lock.held")).isZero();
	}

	@Test
	void engineThatIsOpenedAgainHasTheGaugesAndGoesOnWithTheCounters() throws Exception {
		this.engine.get("left", ORDERS).acquire();
		assertThat(gauge("lock.held")).isOne();
		try (LockEngine again = LockEngine.builder(new InMemoryLockStore())
			.listener(new LockMeters(this.registry, "shop"))
			.build()) {
			Lease first = again.get("k", ORDERS).acquire();
			Lease second = again.get("l", ORDERS).acquire();
			assertThat(gauge("lock.held")).isEqualTo(2);
			first.release();
			second.release();
			assertThat(gauge("lock.held")).isZero();
			assertThat(gauge("lock.waiting")).isZero();
			assertThat(count("lock.acquisitions", "lock.outcome", "acquired")).isEqualTo(3);
		}
	}

	@Test
	void namesMadeFromKeysDoNotMakeMetersWithoutEnd(CapturedOutput output) throws Exception {
		for (int i = 0; i < 1_100; i++) {
			this.engine.get("k", ORDERS.withName("order-" + i)).acquire().close();
		}
		assertThat(this.registry.find("lock.held").gauges()).hasSize(1_001);
		assertThat(this.registry.get("lock.acquisitions")
			.tags("lock.name", "other", "lock.outcome", "acquired")
			.counter()
			.count()).isEqualTo(100);
		assertThat(output.getOut().split("More than 1000 lock names", -1)).hasSize(2);
		Optional<Meter> first = Optional
			.ofNullable(this.registry.find("lock.held").tag("lock.name", "order-0").meter());
		assertThat(first).isPresent();
	}

	private double count(String name, String... tags) {
		return this.registry.get(name).tags("lock.engine", "shop", "lock.name", "orders").tags(tags).counter().count();
	}

	private double gauge(String name) {
		return this.registry.get(name).tags("lock.engine", "shop", "lock.name", "orders").gauge().value();
	}

}
