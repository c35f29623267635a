package io.lockable.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.inspection.LockInfo;
import io.lockable.engine.shell.Notifier;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the events of observers and listeners, and for the state that an engine
 * reports.
 */
class ObserverTests {

	private static final LockEvent.Acquired ACQUIRED = new LockEvent.Acquired("k", "orders", 1, Duration.ZERO,
			LockEvent.HandOff.NONE);

	private static final LockEvent.Renewed RENEWED = new LockEvent.Renewed("k", "orders", 1, Duration.ZERO);

	private static final LockLost LOST = new LockLost("k", "orders", 1, LockLost.Reason.EXPIRED);

	private static final LockOptions OPTIONS = LockOptions.defaults().withName("orders");

	private static final LockOptions PATIENT = OPTIONS.withWaitTime(Duration.ofSeconds(20));

	private final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance(new ScriptedStore(),
			(builder) -> builder.listener((FollowingListener) this::observe));

	@AutoClose
	private final LockEngine engine = LockEngine.builder(new InMemoryLockStore())
		.listener((FollowingListener) this::observe)
		.build();

	@Test
	void acquisitionAndReleaseAreSeenOnce() throws Exception {
		DistributedLock lock = this.engine.get("k", OPTIONS);
		lock.lock();
		lock.lock();
		lock.unlock();
		lock.unlock();
		lock.acquire().close();
		assertThat(this.seen).containsExactly("orders k", "acquired", "released true", "orders k", "acquired",
				"released true");
	}

	@Test
	void refusalAndTimeOutAreTwoThings() throws Exception {
		try (Lease lease = this.engine.get("k", OPTIONS).acquire()) {
			this.seen.clear();
			assertThat(this.engine.get("k", OPTIONS).tryAcquire()).isEmpty();
			assertThat(this.engine.get("k", OPTIONS).tryAcquire(Duration.ofMillis(5))).isEmpty();
			assertThat(this.seen).containsExactly("orders k", "refused", "orders k", "timed out");
		}
	}

	@Test
	void cancelledAcquisitionIsNeitherRefusedNorFailed() throws Exception {
		try (Lease lease = this.engine.get("k", OPTIONS).acquire()) {
			this.seen.clear();
			this.engine.get("k", PATIENT).acquireAsync().cancel(true);
			await().until(() -> this.seen.contains("cancelled"));
			assertThat(this.seen).containsExactly("orders k", "cancelled");
		}
	}

	@Test
	void failureOfTheStoreIsSeen() {
		CompletableFuture<Lease> acquired = this.instance.engine.get("k", OPTIONS).acquireAsync();
		this.instance.store.take(ScriptedStore.Command.ACQUIRE).fail(false);
		await().until(acquired::isDone);
		assertThat(this.seen).containsExactly("orders k", "failed LockStoreException");
	}

	@Test
	void keysThatAreNotFreeTogetherAreSeenOnceEach() throws Exception {
		List<String> keys = List.of("a", "b");
		this.engine.getAll(keys, OPTIONS).acquire().close();
		assertThat(this.seen).containsExactlyInAnyOrder("orders a", "orders b", "acquired", "acquired", "released true",
				"released true");
		this.seen.clear();
		Lease held = this.engine.get("a", OPTIONS).acquire();
		CompletableFuture<Lease> both = this.engine.getAll(keys, PATIENT).acquireAsync();
		held.release();
		both.get(10, TimeUnit.SECONDS).release();
		assertThat(this.seen.stream().filter("acquired"::equals)).hasSize(3);
		assertThat(this.seen).doesNotContain("refused", "timed out");
	}

	@Test
	void refusalThatIsTriedAgainIsNone() throws Exception {
		this.instance.store.takesTogether();
		CompletableFuture<Lease> both = this.instance.engine.getAll(List.of("a", "b"), PATIENT).acquireAsync();
		this.instance.store.takeAttempts()
			.forEach((attempt) -> attempt.result().complete(new Refused(Duration.ofSeconds(5), 0)));
		this.instance.store.take(ScriptedStore.Command.ACQUIRE).grant(1);
		this.instance.store.take(ScriptedStore.Command.ACQUIRE).grant(1);
		ScriptedInstance.get(both);
		assertThat(this.seen).doesNotContain("refused", "timed out");
		assertThat(this.seen.stream().filter("cancelled"::equals)).hasSize(2);
		assertThat(this.seen.stream().filter("acquired"::equals)).hasSize(2);
	}

	@Test
	void severalKeysWhoseWaitIsOverWithTheAnswerTimedOut() {
		this.instance.store.takesTogether();
		CompletableFuture<Lease> both = this.instance.engine.getAll(List.of("a", "b"), PATIENT).acquireAsync();
		this.instance.clock.advance(PATIENT.waitTime());
		this.instance.store.takeAttempts()
			.forEach((attempt) -> attempt.result().complete(new Refused(Duration.ofSeconds(5), 0)));
		await().until(both::isDone);
		assertThat(this.seen).containsExactly("orders a", "orders b", "timed out", "timed out");
	}

	@Test
	void downgradeEndsOneLeaseAndBeginsAnotherOnce() {
		DistributedReadWriteLock lock = this.engine.getReadWriteLock("k", OPTIONS);
		lock.writeLock().lock();
		lock.readLock().lock();
		lock.readLock().lock();
		lock.writeLock().unlock();
		assertThat(this.seen).containsExactlyInAnyOrder("orders k", "acquired", "orders k", "acquired",
				"released true");
		assertThat(this.engine.holdings()).singleElement().returns(2, LockInfo::holdCount);
		lock.readLock().unlock();
		lock.readLock().unlock();
		lock.writeLock().lock();
		lock.readLock().lock();
		this.seen.clear();
		assertThat(lock.writeLock().lease().release()).isTrue();
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> lock.writeLock().unlock());
		assertThat(this.seen).containsExactly("released true");
	}

	@Test
	void whatIsKnownEarlyIsToldAfterTheOutcomeAndNoRenewalAfterTheRelease() {
		Consumer<LockEvent> events = Notifier.ordered(this::note);
		events.accept(RENEWED);
		events.accept(LOST);
		events.accept(ACQUIRED);
		events.accept(new LockEvent.Released("k", "orders", 1, Duration.ZERO, false));
		events.accept(RENEWED);
		assertThat(this.seen).containsExactly("acquired", "renewed", "lost EXPIRED", "released false");
	}

	@Test
	void lossThatBecomesKnownWhileObserversAreToldWaitsForNobody() throws Exception {
		Gate telling = new Gate();
		Consumer<LockEvent> events = Notifier.ordered((event) -> {
			if (event instanceof LockEvent.Acquired) {
				telling.pass();
			}
			note(event);
		});
		Thread holder = new Thread(() -> events.accept(ACQUIRED));
		holder.start();
		telling.awaitReached();
		events.accept(LOST);
		assertThat(this.seen).isEmpty();
		telling.open();
		holder.join();
		assertThat(this.seen).containsExactly("acquired", "lost EXPIRED");
	}

	@Test
	void observerThatThrowsHarmsNoLock() throws Exception {
		FollowingListener unborn = (key, owner, options) -> {
			throw new IllegalStateException("unborn");
		};
		FollowingListener failing = (key, owner, options) -> (event) -> {
			if (event instanceof LockEvent.Acquired) {
				throw new AssertionError("acquired");
			}
			ObserverTests.<RuntimeException>raise(new IOException("checked"));
		};
		try (LockEngine locks = LockEngine.builder(new InMemoryLockStore())
			.listener(unborn)
			.listener(failing)
			.listener((FollowingListener) this::observe)
			.build()) {
			assertThat(locks.get("k", OPTIONS).acquire().release()).isTrue();
		}
		assertThat(this.seen).containsExactly("orders k", "acquired", "released true");
	}

	@Test
	void holdingsSayWhoHoldsWhat() throws Exception {
		DistributedLock lock = this.engine.get("k", OPTIONS);
		lock.lock();
		lock.lock();
		Lease other = this.engine.get("other", OPTIONS).acquireAsync().get(5, TimeUnit.SECONDS);
		assertThat(this.engine.holdings()).hasSize(2).anySatisfy((holding) -> {
			assertThat(holding.key()).isEqualTo("k");
			assertThat(holding.name()).isEqualTo("orders");
			assertThat(holding.owner()).isEqualTo(lock.lease().owner());
			assertThat(holding.fencingToken()).isEqualTo(lock.lease().fencingToken());
			assertThat(holding.thread()).isEqualTo(Thread.currentThread().getName());
			assertThat(holding.holdCount()).isEqualTo(2);
			assertThat(holding.held()).isPositive();
			assertThat(holding.remaining()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10));
		}).anySatisfy((holding) -> {
			assertThat(holding.key()).isEqualTo("other");
			assertThat(holding.thread()).isEqualTo("async, " + Thread.currentThread().getName());
			assertThat(holding.holdCount()).isOne();
		});
		lock.unlock();
		assertThat(this.engine.holdings()).filteredOn("key", "k").first().returns(1, LockInfo::holdCount);
		lock.unlock();
		other.release();
		assertThat(this.engine.holdings()).isEmpty();
	}

	@Test
	void waitingSaysWhoWaitsForWhat() throws Exception {
		try (Lease lease = this.engine.get("k", OPTIONS).acquire()) {
			Thread waiter = new Thread(() -> this.engine.get("k", PATIENT).run(() -> {
			}), "the-waiter");
			waiter.start();
			await().until(() -> !this.engine.waiting().isEmpty());
			assertThat(this.engine.waiting()).singleElement().satisfies((waiting) -> {
				assertThat(waiting.key()).isEqualTo("k");
				assertThat(waiting.name()).isEqualTo("orders");
				assertThat(waiting.thread()).isEqualTo("the-waiter");
				assertThat(waiting.waited()).isPositive();
			});
			lease.release();
			waiter.join();
			assertThat(this.engine.waiting()).isEmpty();
		}
	}

	@Test
	void listenerHearsOnlyOfFailuresUnlessItAsksForMore() throws Exception {
		ConcurrentLinkedQueue<LockEvent> events = new ConcurrentLinkedQueue<>();
		try (LockEngine locks = LockEngine.builder(new InMemoryLockStore())
			.listener(events::add)
			.listener((FollowingListener) this::observe)
			.build()) {
			Lease lease = locks.get("k", OPTIONS.withLease(Duration.ofSeconds(1)).withRenewal(Renewal.OFF)).acquire();
			await().until(() -> !events.isEmpty());
			assertThat(lease.release()).isFalse();
			assertThat(this.seen).containsExactly("orders k", "acquired", "lost EXPIRED", "released false");
			assertThat(events)
				.containsExactly(new LockLost("k", "orders", lease.fencingToken(), LockLost.Reason.EXPIRED));
		}
	}

	@Test
	void renewalIsToldWithHowMuchLaterThanPlannedItWasSent() {
		List<Duration> lags = new CopyOnWriteArrayList<>();
		FollowingListener observer = (key, owner, options) -> (event) -> {
			if (event instanceof LockEvent.Renewed renewed) {
				lags.add(renewed.lag());
			}
		};
		ScriptedStore store = new ScriptedStore();
		try (ScriptedInstance scripted = new ScriptedInstance(store, (builder) -> builder.listener(observer))) {
			Lease lease = scripted.hold(ScriptedInstance.ONCE);
			Duration late = Duration.ofMillis(700);
			scripted.advance(ScriptedInstance.ONCE.lease().dividedBy(3).plus(late));
			ScriptedStore.Call extension = store.take(ScriptedStore.Command.EXTEND);
			scripted.clock.advance(Duration.ofMillis(200));
			extension.say(true);
			await().until(() -> !lags.isEmpty());
			assertThat(lags).containsExactly(late);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@SuppressWarnings("unchecked")
	private static <X extends Throwable> void raise(Throwable failure) throws X {
		throw (X) failure;
	}

	private Consumer<LockEvent> observe(String key, String owner, LockOptions options) {
		this.seen.add(options.name() + " " + key);
		return this::note;
	}

	private void note(LockEvent event) {
		this.seen.add(text(event));
	}

	private static String text(LockEvent event) {
		if (event instanceof LockEvent.Refused refused) {
			return refused.timedOut() ? "timed out" : "refused";
		}
		if (event instanceof LockEvent.Failed failed) {
			return "failed " + failed.cause().getClass().getSimpleName();
		}
		if (event instanceof LockLost lost) {
			return "lost " + lost.reason();
		}
		if (event instanceof LockEvent.Released released) {
			return "released " + released.ours();
		}
		return event.getClass().getSimpleName().toLowerCase(Locale.ROOT);
	}

}
