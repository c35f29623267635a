package io.lockable.test;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.Renewal;
import io.lockable.engine.LockEngine;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.lockable.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockTestClock}, with an engine. After a move of the clock, results are
 * verified without waiting.
 */
@SuppressWarnings("LockNotBeforeTry")
class LockTestClockTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final LockOptions RENEWED = LockOptions.defaults().withLease(Duration.ofSeconds(9));

	private static final LockOptions ONCE = RENEWED.withRenewal(Renewal.OFF);

	private static final LockOptions WAITING = RENEWED.withWaitTime(HOUR);

	private final LockTestClock clock = new LockTestClock();

	private final LockFaults faults = new LockFaults();

	private final InMemoryLockStore store = new InMemoryLockStore(this.clock);

	private final List<LockLost> losses = new CopyOnWriteArrayList<>();

	private Runnable onLost = () -> {
	};

	private final LockEngine engine = LockEngine.builder(this.faults.wrap(this.store))
		.runtime(this.clock)
		.shutdownTimeout(Duration.ZERO)
		.listener((event) -> {
			if (event instanceof LockLost lost) {
				this.losses.add(lost);
				if (lost.key().equals("k")) {
					this.onLost.run();
				}
			}
		})
		.build();

	private final long start = this.clock.getAsLong();

	@AfterEach
	void close() {
		this.faults.heal();
		this.engine.close();
	}

	private Duration passed() {
		return Duration.ofNanos(this.clock.getAsLong() - this.start);
	}

	@Test
	void leaseEndsAndIsToldWhenTheClockSaysSo() {
		Lease lease = this.engine.get("k", ONCE).tryAcquire().orElseThrow();
		this.clock.advance(Duration.ofSeconds(8));
		assertThat(lease).isHeld();
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(lease.lost().toCompletableFuture()).isDone();
		assertThat(lease).isLostBecause(LockLost.Reason.EXPIRED);
		assertThat(this.losses).extracting(LockLost::key).containsExactly("k");
		assertThat(this.engine.get("k")).isFree();
	}

	@Test
	void renewalComesAtAThirdOfTheLeaseAlsoWithinOneLongStep() {
		Lease lease = this.engine.get("k", RENEWED).tryAcquire().orElseThrow();
		Duration whole = lease.remaining();
		this.clock.advance(Duration.ofMillis(2_999));
		assertThat(lease.remaining()).isEqualTo(whole.minusMillis(2_999));
		this.clock.advance(Duration.ofMillis(1));
		assertThat(lease.remaining()).isEqualTo(whole);
		this.clock.advance(Duration.ofDays(1));
		assertThat(lease).isHeld();
		assertThat(this.engine.get("k")).isLocked();
		assertThat(lease.release()).isTrue();
	}

	@Test
	void renewalThatFailsIsTriedAgainUntilTheLeaseEnds() {
		Lease lease = this.engine.get("k", RENEWED).tryAcquire().orElseThrow();
		this.faults.failNext(3, LockFaults.Command.EXTEND);
		this.clock.advance(Duration.ofSeconds(8));
		assertThat(lease).isHeld().hasAtLeast(Duration.ofSeconds(3));
		this.faults.fail(LockFaults.Command.EXTEND);
		this.clock.advance(Duration.ofSeconds(9));
		assertThat(lease).isLostBecause(LockLost.Reason.EXPIRED);
	}

	@Test
	void shortestHoldIsOverWhenTheClockSaysSo() {
		Lease lease = this.engine.get("k", ONCE.withMinHold(Duration.ofSeconds(30))).tryAcquire().orElseThrow();
		lease.close();
		this.clock.advance(Duration.ofSeconds(29));
		assertThat(this.engine.get("k")).isLocked();
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.engine.get("k")).isFree();
	}

	@Test
	void threadAndFutureFailAtTheEndOfTheirWait() {
		this.faults.hold("k");
		CompletableFuture<Lease> future = this.engine.get("k", WAITING).acquireAsync();
		CompletableFuture<Lease> thread = onThread(WAITING);
		this.clock.advance(HOUR.minusMillis(1));
		assertThat(List.of(future, thread)).noneMatch(CompletableFuture::isDone);
		this.clock.advance(Duration.ofMillis(1));
		assertThat(future).isCompletedExceptionally();
		assertThat(thread).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
		assertThat(passed()).isEqualTo(HOUR);
	}

	@Test
	void threadGetsTheLockThatIsFreedWithoutMovingTheClock() {
		this.faults.hold("k");
		CompletableFuture<Lease> waiting = onThread(WAITING);
		this.faults.free("k");
		assertThat(waiting).succeedsWithin(Duration.ofSeconds(20));
		assertThat(passed()).isZero();
	}

	@Test
	void threadWaitsNoLongerThanInRealTimeAndTheClockFollows() {
		this.faults.hold("k");
		DistributedLock lock = this.engine.get("k", RENEWED.withWaitTime(Duration.ofMillis(50)));
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(lock::acquire);
		assertThat(passed()).isEqualTo(Duration.ofMillis(50));
	}

	@Test
	void skippedWaitMovesTheClockToItsEnd() {
		this.faults.hold("k");
		Lease other = this.engine.get("other", RENEWED).tryAcquire().orElseThrow();
		this.clock.skipWaits();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.engine.get("k", WAITING).acquire());
		assertThat(passed()).isEqualTo(HOUR);
		assertThat(other).isHeld();
	}

	@Test
	void skippedWaitEndsWhereTheLockIsHad() throws Exception {
		Lease first = this.engine.get("k", ONCE).tryAcquire().orElseThrow();
		this.clock.skipWaits();
		try (Lease second = this.engine.get("k", WAITING).acquire()) {
			assertThat(second).isHeld().hasFencingTokenGreaterThan(first.fencingToken());
			assertThat(passed()).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(10));
		}
		assertThat(first).isLost();
	}

	@Test
	void keptWaitIsWaitedForAgain() {
		this.faults.hold("k");
		this.clock.skipWaits();
		this.clock.keepWaits();
		CompletableFuture<Lease> waiting = onThread(WAITING);
		assertThat(waiting).isNotDone();
		this.clock.advance(HOUR);
		assertThat(waiting).failsWithin(Duration.ofSeconds(20));
	}

	@Test
	void waitWithoutAnEndIsNotSkipped() {
		this.faults.hold("k");
		this.clock.skipWaits();
		DistributedLock lock = this.engine.get("k", RENEWED);
		CompletableFuture<Void> locked = CompletableFuture.runAsync(() -> {
			lock.lock();
			lock.unlock();
		}, (task) -> new Thread(task).start());
		awaitWaiter();
		assertThat(locked).isNotDone();
		this.faults.free("k");
		assertThat(locked).succeedsWithin(Duration.ofSeconds(20));
		assertThat(passed()).isZero();
	}

	@Test
	void leaseDoesNotEndInRealTime() {
		Lease lease = this.engine.get("k", ONCE.withLease(Duration.ofMillis(20))).tryAcquire().orElseThrow();
		Awaitility.await().pollDelay(Duration.ofMillis(100)).until(() -> true);
		assertThat(lease).isHeld();
		assertThat(this.engine.get("k")).isLocked();
	}

	@Test
	void tasksRunInTheirOrderEachAtItsTime() {
		List<String> ran = new ArrayList<>();
		this.clock.schedule(() -> ran.add("b" + passed().toSeconds()), at(2));
		this.clock.schedule(() -> {
			ran.add("a" + passed().toSeconds());
			this.clock.schedule(() -> ran.add("c" + passed().toSeconds()), at(3));
		}, at(1));
		this.clock.schedule(() -> ran.add("b'" + passed().toSeconds()), at(2));
		this.clock.schedule(() -> ran.add("never"), at(2)).run();
		this.clock.schedule(() -> ran.add("later"), at(5));
		this.clock.advance(Duration.ofSeconds(4));
		assertThat(ran).containsExactly("a1", "b2", "b'2", "c3");
	}

	@Test
	void taskThatIsDueRunsWithoutMovingTheClock() {
		CompletableFuture<Thread> ran = new CompletableFuture<>();
		this.clock.schedule(() -> ran.complete(Thread.currentThread()), this.start);
		assertThat(ran).succeedsWithin(Duration.ofSeconds(20)).isNotSameAs(Thread.currentThread());
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3 })
	void taskThatIsAddedWhileTheClockArrivesIsNotMissed(int when) {
		CompletableFuture<Boolean> ran = new CompletableFuture<>();
		AtomicInteger asked = new AtomicInteger();
		this.clock.move(() -> at(5), () -> {
			// As another thread may do, before or after the clock finds no due task.
			if (asked.incrementAndGet() == when) {
				this.clock.schedule(() -> ran.complete(true), at(4));
			}
			return false;
		});
		assertThat(passed()).isEqualTo(Duration.ofSeconds(5));
		if (asked.get() >= when) {
			assertThat(ran).succeedsWithin(Duration.ofSeconds(5));
		}
	}

	@Test
	void threadThatIsSlowToWakeUpDoesNotGetTheLockAfterItsWait() {
		CountDownLatch awake = new CountDownLatch(1);
		EngineRuntime slow = proxy(EngineRuntime.class, (proxy, method, arguments) -> {
			try {
				return method.invoke(this.clock, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getCause();
			}
			finally {
				if (method.getName().equals("await")) {
					awake.await(20, TimeUnit.SECONDS);
				}
			}
		});
		try (LockEngine other = LockEngine.builder(this.store.peer()).runtime(slow).build()) {
			Lease first = this.engine.get("k", ONCE).tryAcquire().orElseThrow();
			CompletableFuture<Lease> waiting = onThread(other, ONCE.withWaitTime(Duration.ofSeconds(5)));
			this.clock.advance(Duration.ofMinutes(1));
			awake.countDown();
			assertThat(first).isLost();
			assertThat(waiting).failsWithin(Duration.ofSeconds(20))
				.withThrowableThat()
				.withCauseInstanceOf(LockNotAcquiredException.class);
			assertThat(this.engine.get("k")).isFree();
		}
	}

	@Test
	void answerThatDoesNotComeIsAwaitedInRealTime() {
		LockStore silent = proxy(LockStore.class, (proxy, method, arguments) -> {
			boolean asks = method.getName().equals("acquire");
			return asks ? new CompletableFuture<>() : method.invoke(this.store, arguments);
		});
		try (LockEngine other = LockEngine.builder(silent)
			.runtime(this.clock)
			.commandTimeout(Duration.ofMillis(50))
			.build()) {
			CompletableFuture<Object> acquired = CompletableFuture.supplyAsync(() -> other.get("k", ONCE).tryAcquire(),
					(task) -> new Thread(task).start());
			assertThat(acquired).failsWithin(Duration.ofSeconds(20))
				.withThrowableThat()
				.withCauseInstanceOf(LockStoreException.class);
			assertThat(passed()).isEqualTo(Duration.ofMillis(50));
		}
	}

	@Test
	void listenerMayAskWhetherALockIsStillHeld() {
		CompletableFuture<Boolean> verified = new CompletableFuture<>();
		Lease held = this.engine.get("other", RENEWED).tryAcquire().orElseThrow();
		this.onLost = () -> {
			this.faults.expire("other");
			this.engine.verify("other");
			verified.complete(held.isHeld());
		};
		assertThat(this.engine.get("k", ONCE).tryAcquire()).isPresent();
		this.clock.advance(Duration.ofSeconds(9));
		assertThat(verified).isCompletedWithValue(false);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whatDependsOnAFutureMayWaitForAnotherLock(boolean skipping) {
		if (skipping) {
			this.clock.skipWaits();
		}
		assertThat(this.engine.get("a", ONCE).tryAcquire()).isPresent();
		assertThat(this.engine.get("b", ONCE.withLease(Duration.ofSeconds(15))).tryAcquire()).isPresent();
		CompletableFuture<Lease> both = this.engine.get("a", WAITING)
			.acquireAsync()
			.thenApply((lease) -> acquire("b", WAITING));
		this.clock.advance(Duration.ofSeconds(10));
		if (!skipping) {
			assertThat(both).isNotDone();
			this.clock.advance(Duration.ofSeconds(10));
		}
		assertThat(both).succeedsWithin(Duration.ofSeconds(20));
		assertThat(both.join()).isHeld();
		assertThat(passed()).isBetween(Duration.ofSeconds(14), Duration.ofSeconds(skipping ? 16 : 20));
	}

	@Test
	void failureOfWhatWasDueAtOnceIsThrownWhenTheClockIsNextMoved() {
		CompletableFuture<Boolean> after = new CompletableFuture<>();
		this.clock.schedule(() -> {
			throw new IllegalStateException("blocked");
		}, this.start);
		this.clock.schedule(() -> after.complete(true), this.start);
		assertThat(after).succeedsWithin(Duration.ofSeconds(20));
		assertThatIllegalStateException().isThrownBy(() -> this.clock.advance(Duration.ofSeconds(1)))
			.withMessageContaining("blocked")
			.withCauseInstanceOf(IllegalStateException.class);
		assertThat(passed()).isZero();
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(passed()).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void clockDoesNotGoBack() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.clock.advance(Duration.ofNanos(-1)));
	}

	private long at(int seconds) {
		return this.start + TimeUnit.SECONDS.toNanos(seconds);
	}

	/**
	 * Starts to acquire on another thread, and returns when that thread waits.
	 */
	private CompletableFuture<Lease> onThread(LockOptions options) {
		return onThread(this.engine, options);
	}

	private static CompletableFuture<Lease> onThread(LockEngine engine, LockOptions options) {
		CompletableFuture<Lease> acquired = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				acquired.complete(engine.get("k", options).acquire());
			}
			catch (Exception ex) {
				acquired.completeExceptionally(ex);
			}
		}, "waiter");
		thread.setDaemon(true);
		thread.start();
		Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
		return acquired;
	}

	private Lease acquire(String key, LockOptions options) {
		try {
			return this.engine.get(key, options).acquire();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void awaitWaiter() {
		Awaitility.await()
			.until(() -> Thread.getAllStackTraces()
				.values()
				.stream()
				.flatMap(Stream::of)
				.anyMatch((frame) -> frame.getClassName().equals(LockTestClock.class.getName())));
	}

	private static <T> T proxy(Class<T> type, InvocationHandler handler) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, handler));
	}

}
