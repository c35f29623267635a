package io.lockable.autoconfigure.observability;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockException;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockObservations}. The test registry rejects a second stop, a stop
 * before the start, and scopes that are opened late.
 */
class LockObservationsTests {

	private static final LockOptions ORDERS = LockOptions.defaults().withName("orders");

	private static final LockOptions PATIENT = ORDERS.withWaitTime(Duration.ofSeconds(20));

	private static final LockEvent.Acquired ACQUIRED = new LockEvent.Acquired("k", "orders", 1, Duration.ZERO,
			LockEvent.HandOff.NONE);

	private final TestObservationRegistry registry = TestObservationRegistry.create();

	private final LockObservations observations = new LockObservations(this.registry, "shop");

	private final LockEngine engine = LockEngine.builder(new InMemoryLockStore())
		.requestId(() -> "request-7")
		.listener(this.observations)
		.build();

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	void acquisitionAndHoldAreObserved() throws Exception {
		Lease lease = this.engine.get("k", ORDERS).acquire();
		lease.release();
		then().hasNumberOfObservationsEqualTo(2)
			.hasObservationWithNameEqualTo("lock.acquire")
			.that()
			.hasBeenStarted()
			.hasBeenStopped()
			.hasContextualNameEqualTo("acquire orders")
			.hasLowCardinalityKeyValue("lock.engine", "shop")
			.hasLowCardinalityKeyValue("lock.name", "orders")
			.hasLowCardinalityKeyValue("lock.outcome", "acquired")
			.hasHighCardinalityKeyValue("lock.key", "k")
			.hasHighCardinalityKeyValue("lock.fencing.token", Long.toString(lease.fencingToken()))
			.hasHighCardinalityKeyValue("lock.request.id", "request-7")
			.doesNotHaveError();
		then().forAllObservationsWithNameEqualTo("lock.acquire",
				(observation) -> observation.doesNotHaveLowCardinalityKeyValueWithKey("lock.key"));
		then().forAllObservationsWithNameEqualTo("lock.hold",
				(observation) -> observation.doesNotHaveLowCardinalityKeyValueWithKey("lock.key"));
		then().hasObservationWithNameEqualTo("lock.hold")
			.that()
			.hasBeenStarted()
			.hasBeenStopped()
			.hasContextualNameEqualTo("hold orders")
			.hasOnlyKeys("lock.engine", "lock.name", "lock.outcome", "lock.key", "lock.fencing.token",
					"lock.request.id")
			.hasLowCardinalityKeyValue("lock.outcome", "released")
			.hasHighCardinalityKeyValue("lock.request.id", "request-7")
			.doesNotHaveError();
		then().doesNotHaveAnyRemainingCurrentObservation();
	}

	@Test
	void eachOutcomeOfAnAcquisitionIsSaid() throws Exception {
		try (Lease lease = this.engine.get("k", ORDERS).acquire()) {
			this.registry.clear();
			assertThat(this.engine.get("k", ORDERS).tryAcquire()).isEmpty();
			assertThat(this.engine.get("k", ORDERS).tryAcquire(Duration.ofMillis(5))).isEmpty();
			this.engine.get("k", PATIENT).acquireAsync().cancel(true);
			acquiring().accept(new LockEvent.Failed("k", "orders", Duration.ZERO, new LockException("down")));
			for (String outcome : List.of("refused", "timed_out", "cancelled", "failed")) {
				await().untilAsserted(() -> then().hasAnObservationWithAKeyValue("lock.outcome", outcome));
			}
			then().hasNumberOfObservationsWithNameEqualTo("lock.acquire", 4)
				.hasNumberOfObservationsWithNameEqualTo("lock.hold", 0);
			then().hasAnObservation(
					(observation) -> observation.hasLowCardinalityKeyValue("lock.outcome", "failed").hasError());
			then().forAllObservationsWithNameEqualTo("lock.acquire",
					(observation) -> observation.doesNotHaveHighCardinalityKeyValueWithKey("lock.fencing.token"));
		}
	}

	@Test
	void lossEndsTheHoldWithAnErrorAndTheLateReleaseDoesNotEndItAgain() throws Exception {
		Lease lease = this.engine.get("k", ORDERS.withLease(Duration.ofSeconds(1)).withRenewal(Renewal.OFF)).acquire();
		await().untilAsserted(() -> then().hasObservationWithNameEqualTo("lock.hold").that().hasBeenStopped());
		lease.release();
		then().hasObservationWithNameEqualTo("lock.hold")
			.that()
			.hasLowCardinalityKeyValue("lock.outcome", "lost")
			.thenError()
			.isInstanceOf(LockLostException.class)
			.hasMessage("Lock 'k' was lost: EXPIRED");
	}

	@Test
	void failedReleaseEndsTheHold() {
		Consumer<LockEvent> events = acquiring();
		events.accept(ACQUIRED);
		events.accept(new LockEvent.ReleaseFailed("k", "orders", 1, new IllegalStateException("down")));
		then().hasObservationWithNameEqualTo("lock.hold")
			.that()
			.hasBeenStopped()
			.hasLowCardinalityKeyValue("lock.outcome", "failed")
			.hasError();
	}

	@Test
	void parentIsWhatWasCurrentOnTheAcquiringThread() throws Exception {
		Observation parent = Observation.start("request", this.registry);
		CompletableFuture<Lease> acquired;
		try (Lease held = this.engine.get("k", ORDERS).acquire()) {
			try (Observation.Scope scope = parent.openScope()) {
				acquired = this.engine.get("k", PATIENT).acquireAsync();
			}
			this.registry.clear();
			// The thread of another caller hands the lock over.
			Observation.createNotStarted("other request", this.registry).observe(() -> {
				held.release();
				acquired.join();
				assertThat(current()).isEqualTo("other request");
			});
		}
		acquired.get(5, TimeUnit.SECONDS).release();
		await().untilAsserted(() -> then().hasObservationWithNameEqualTo("lock.hold")
			.that()
			.hasParentObservationContextMatching((context) -> "request".equals(context.getName()))
			.hasBeenStopped());
		parent.stop();
		then().doesNotHaveAnyRemainingCurrentObservation();
	}

	@Test
	void holdStartsAsIfTheParentWereCurrent() throws Exception {
		AtomicReference<String> currentAtStart = new AtomicReference<>();
		this.registry.observationConfig().observationHandler(new ObservationHandler<LockObservationContext>() {

			@Override
			public void onStart(LockObservationContext context) {
				if (context.getObservation() == LockObservationDocumentation.LOCK_HOLD) {
					currentAtStart.set(current());
				}
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return context instanceof LockObservationContext;
			}

		});
		Observation parent = Observation.start("request", this.registry);
		Consumer<LockEvent> events = parent.scoped(this::acquiring);
		Observation.createNotStarted("other request", this.registry).observe(() -> events.accept(ACQUIRED));
		assertThat(currentAtStart).hasValue("request");
	}

	@Test
	void withoutAParentTheHoldBelongsToItsAcquisition() throws Exception {
		Consumer<LockEvent> events = acquiring();
		Observation.createNotStarted("other request", this.registry).observe(() -> events.accept(ACQUIRED));
		events.accept(new LockEvent.Released("k", "orders", 1, Duration.ZERO, true));
		then().hasObservationWithNameEqualTo("lock.acquire").that().doesNotHaveParentObservation();
		then().hasObservationWithNameEqualTo("lock.hold")
			.that()
			.hasParentObservationContextMatching((context) -> "lock.acquire".equals(context.getName()));
	}

	@Test
	void registryWithoutHandlersIsNotAsked() {
		ObservationRegistry idle = ObservationRegistry.create();
		Consumer<LockEvent> first = new LockObservations(idle, "shop").acquiring("k", "owner", ORDERS);
		Consumer<LockEvent> second = new LockObservations(ObservationRegistry.NOOP, "shop").acquiring("k", "owner",
				ORDERS);
		assertThat(first).isSameAs(second);
	}

	private String current() {
		Observation current = this.registry.getCurrentObservation();
		return (current != null) ? current.getContext().getName() : "none";
	}

	private Consumer<LockEvent> acquiring() {
		return this.observations.acquiring("k", "id:instance-1", ORDERS);
	}

	private TestObservationRegistryAssert then() {
		return TestObservationRegistryAssert.assertThat(this.registry);
	}

}
