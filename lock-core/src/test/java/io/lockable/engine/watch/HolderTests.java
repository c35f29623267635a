package io.lockable.engine.watch;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.LockEngine;
import io.lockable.engine.inspection.DeadlockAction;
import io.lockable.engine.inspection.LockSurvey;
import io.lockable.engine.runtime.SystemRuntime;
import io.lockable.engine.shell.KeyShells;
import io.lockable.engine.shell.Notifier;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the description of holders.
 */
class HolderTests {

	private static final int WAITERS = 50_000;

	private static final int KEYS = 1_000;

	// Each character becomes nine in a message.
	private static final String LONG_NAME = "\u2713".repeat(60);

	private final InMemoryLockStore store = new InMemoryLockStore();

	@AutoClose
	private final LockEngine engine = LockEngine.builder(this.store).instance("app-0").build();

	private final DistributedLock lock = this.engine.get("k", Peers.PATIENT.withWaitTime(Duration.ofSeconds(3)));

	@Test
	void holderWhoseInstanceIsSilentIsNamedByTheStartOfItsOwnerToken() {
		this.store.peer().acquire("k", "req-1:0123456789abcdef-1", Duration.ofMinutes(1));
		assertThat(this.lock.knownHolder()).isEmpty();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.lock.run(() -> {
		}))
			.withMessageStartingWith(
					"Lock 'k' was not acquired within 3s: another owner holds it: owner 'req-1:…', whose instance does not answer, with a lease of 5");
	}

	@Test
	void holderThatIsNoOwnerOfThisLibraryIsShortened() {
		this.store.peer().acquire("k", "a-secret-value-of-another-program", Duration.ofMinutes(1));
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.lock.run(() -> {
		})).withMessageContaining("owner 'a-secret…', whose instance").withMessageNotContaining("value");
	}

	@Test
	void holderInTheSameInstanceNeedsNoMessage() throws Exception {
		try (Peers peers = new Peers(1, DeadlockAction.REPORT)) {
			peers.run("holder", () -> peers.get(0).get("k", Peers.PATIENT).lock());
			await().until(() -> !peers.get(0).holdings().isEmpty());
			DistributedLock here = peers.get(0).get("k", Peers.PATIENT.withWaitTime(Duration.ofSeconds(3)));
			assertThat(here.tryLock(3, TimeUnit.SECONDS)).isFalse();
			Optional<String> holder = here.knownHolder();
			assertThat(holder).hasValueSatisfying(
					(text) -> assertThat(text).matches("'holder' of app-0, for \\d\\.\\ds in Shop.pay"));
		}
	}

	/**
	 * The exception of a call is created after its wait, when the watch may find that the
	 * instance uses no lock.
	 */
	@Test
	void holderIsKnownForSomeTimeAfterTheLastWait() {
		this.store.peer().acquire("k", "req-1:0123456789abcdef-1", Duration.ofMinutes(1));
		AtomicLong passed = new AtomicLong();
		try (SystemRuntime runtime = new SystemRuntime(() -> System.nanoTime() + passed.get());
				LockEngine one = LockEngine.builder(this.store).runtime(runtime).build()) {
			DistributedLock waitedFor = one.get("k", Peers.PATIENT);
			CompletableFuture<Lease> waiting = waitedFor.acquireAsync();
			await().until(() -> waitedFor.knownHolder().isPresent());
			waiting.cancel(false);
			await().during(Duration.ofSeconds(2)).until(() -> waitedFor.knownHolder().isPresent());
			passed.set(TimeUnit.SECONDS.toNanos(11));
			assertThat(waitedFor.knownHolder()).isEmpty();
		}
	}

	@Test
	void questionIsNotAnsweredOnTheThreadThatReadsMessages() {
		CompletableFuture<Thread> answering = new CompletableFuture<>();
		try (SystemRuntime runtime = new SystemRuntime()) {
			KeyShells shells = new KeyShells(this.store, runtime, Duration.ofSeconds(2), Duration.ofSeconds(2),
					new Notifier(List.of(), runtime));
			LockWatch watch = new LockWatch(shells, () -> {
				answering.complete(Thread.currentThread());
				return "a host name that takes long to resolve";
			}, DeadlockAction.OFF);
			watch.received(Wire.line("ask", 1, "abc") + '\n' + Wire.line("all"));
			assertThat(answering).succeedsWithin(Duration.ofSeconds(10)).isNotSameAs(Thread.currentThread());
		}
	}

	@Test
	void laterWaitNamesTheHolderOfItsTime() {
		this.store.peer().acquire("k", "req-1:0123456789abcdef-1", Duration.ofMinutes(1));
		CompletableFuture<Lease> waiting = this.lock.acquireAsync();
		await().until(() -> this.lock.knownHolder().isPresent());
		waiting.cancel(false);
		this.store.peer().release("k", "req-1:0123456789abcdef-1");
		this.store.peer().acquire("k", "req-2:0123456789abcdef-1", Duration.ofMinutes(1));
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.lock.run(() -> {
		})).withMessageContaining("owner 'req-2:…'");
	}

	@Test
	void futureOfSeveralLocksNamesTheHolderOfTheLockThatItMisses() {
		this.store.peer().acquire("k", "req-1:0123456789abcdef-1", Duration.ofMinutes(1));
		CompletableFuture<Lease> waiting = this.engine
			.getAll(List.of("a", "k"), Peers.PATIENT.withWaitTime(Duration.ofSeconds(3)))
			.acquireAsync();
		assertThat(waiting).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(LockNotAcquiredException.class)
			.withMessageContaining("another owner holds it: owner 'req-1:…'");
	}

	@Test
	void surveyOfAFailingStoreHasThisInstanceAndTheFailure() {
		LockStore failing = (LockStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				InMemoryLockStore.class.getInterfaces(),
				(proxy, method, arguments) -> method.getName().equals("send")
						? CompletableFuture.failedFuture(new LockStoreException("down"))
						: method.invoke(this.store, arguments));
		try (LockEngine one = LockEngine.builder(failing).build()) {
			LockSurvey survey = one.survey(Duration.ofSeconds(1));
			assertThat(survey.instances()).hasSize(1);
			assertThat(survey.failure()).hasMessageContaining("down");
		}
	}

	/**
	 * All waiters belong to the request that holds another lock.
	 */
	@Test
	void veryManyWaitersAreReportedInPart() throws Exception {
		try (Peers peers = new Peers(2, DeadlockAction.REPORT)) {
			for (int i = 0; i < KEYS; i++) {
				peers.get(1).get(LONG_NAME + i, Peers.PATIENT).acquire();
			}
			peers.request("req-1");
			peers.get(0).get("own", Peers.PATIENT).acquire();
			LockOptions patient = Peers.PATIENT.withWaitTime(Duration.ofMinutes(30));
			for (int i = 0; i < WAITERS; i++) {
				peers.get(0).get(LONG_NAME + i % KEYS, patient).acquireAsync();
			}
			// Until it looks at long waits.
			await().atMost(Duration.ofMinutes(1))
				.until(() -> IntStream.range(0, KEYS)
					.anyMatch((i) -> peers.get(0).get(LONG_NAME + i, patient).knownHolder().isPresent()));
			LockSurvey survey = peers.get(1).survey(Duration.ofSeconds(20));
			assertThat(survey.silent()).isZero();
			assertThat(survey.instances().get(1)).matches((instance) -> !instance.complete())
				.satisfies((instance) -> assertThat(instance.waiting()).hasSizeBetween(100, 1_000));
			assertThat(peers.get(1).inspect("own").holders()).singleElement()
				.satisfies((holder) -> assertThat(holder).isNotNull());
			assertThat(peers.deadlocks()).isEmpty();
		}
	}

}
