package io.lockable.spring.call;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockContext;
import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.LockType;
import io.lockable.annotation.OnLost;
import io.lockable.spring.LocksInMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ValueCall} and {@link LossWatch}, through a proxy.
 */
class ValueCallTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private final ApplicationContextRunner contextRunner = LocksInMemory.runner()
		.withPropertyValues("distributed-lock.shutdown-timeout=0s")
		.withBean(Values.class);

	@AfterEach
	void nothingIsLeftOnTheThread() {
		assertThat(LockContext.find()).isEmpty();
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void contextShowsTheLocksOfTheBody() {
		run((values, lock) -> {
			LockContext context = values.call("1", LockContext::current);
			assertThat(context.key()).isEqualTo("disLock:1");
			assertThat(context.isHeld()).isFalse();
			assertThat(values.several(List.of("b", "a"), () -> LockContext.current().keys()))
				.containsExactly("disLock:a", "disLock:b");
		});
	}

	@Test
	void contextOfANestedCallIsItsOwnAndReentryKeepsTheToken() {
		run((values, lock) -> values.call("1", () -> {
			LockContext outer = LockContext.current();
			values.call("2", () -> assertThat(LockContext.current().key()).isEqualTo("disLock:2"));
			values.call("1", () -> assertThat(LockContext.current().fencingToken()).isEqualTo(outer.fencingToken()));
			assertThat(LockContext.current()).isSameAs(outer);
			return outer;
		}));
	}

	@Test
	void callWhoseConditionDoesNotHoldHasNoContext() {
		run((values, lock) -> assertThat(values.conditional(false, LockContext::find)).isEmpty());
	}

	@Test
	void severalLocksAreTakenAllOrNone() {
		run((values, lock) -> {
			DistributedLock other = values.locks().get("disLock:b");
			CompletableFuture.runAsync(other::lock, new SimpleAsyncTaskExecutor()).join();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> values.several(List.of("a", "b", "c"), () -> "ran"))
				.withMessageContaining("'disLock:b'");
			assertThat(values.locks().get("disLock:a").isLocked()).isFalse();
			assertThat(values.locks().get("disLock:c").isLocked()).isFalse();
		});
	}

	@Test
	void waitIsMeasuredOnceForAllLocks() {
		run((values, lock) -> {
			DistributedLock first = values.locks().get("disLock:a");
			DistributedLock second = values.locks().get("disLock:b");
			CompletableFuture.runAsync(second::lock, new SimpleAsyncTaskExecutor()).join();
			AtomicLong freed = new AtomicLong();
			CompletableFuture<Void> held = CompletableFuture.runAsync(() -> {
				first.lock();
				pause(Duration.ofMillis(900));
				freed.set(System.nanoTime());
				first.unlock();
			}, new SimpleAsyncTaskExecutor());
			await().atMost(SOON).pollInterval(Duration.ofMillis(1)).until(first::isLocked);
			long start = System.nanoTime();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> values.patient(List.of("a", "b"), () -> "ran"));
			Duration waited = Duration.ofNanos(System.nanoTime() - start);
			held.join();
			// A separate wait time for the second lock would end later.
			assertThat(waited).isBetween(Duration.ofMillis(900), Duration.ofNanos(freed.get() - start).plusSeconds(1));
		});
	}

	@Test
	void lossInterruptsTheBodyOnceAndTheFlagIsTakenAway() {
		run((values, lock) -> {
			boolean[] interrupted = values.interrupted("1", () -> {
				boolean first = sleepUntilInterrupted();
				return new boolean[] { first, Thread.interrupted() };
			});
			assertThat(interrupted).containsExactly(true, false);
			await().atMost(SOON).until(() -> !lock.isLocked());
			assertThat(values.interrupted("1", () -> {
				long deadline = System.nanoTime() + SOON.toNanos();
				while (!Thread.currentThread().isInterrupted() && deadline - System.nanoTime() > 0) {
					Thread.onSpinWait();
				}
				assertThat(Thread.currentThread().isInterrupted()).isTrue();
				return "flag left set";
			})).isEqualTo("flag left set");
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
	}

	@Test
	void bodyThatEndedBeforeTheLossIsNotInterrupted() {
		run((values, lock) -> {
			for (int i = 0; i < 20; i++) {
				assertThat(values.interrupted("1", () -> {
					pause(Duration.ofMillis(47));
					return "done";
				})).isEqualTo("done");
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
				await().atMost(SOON).pollDelay(Duration.ZERO).until(() -> !lock.isLocked());
			}
			pause(Duration.ofMillis(100));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
	}

	@Test
	void interruptOfSomebodyElseIsKept() {
		run((values, lock) -> {
			values.interrupted("1", () -> {
				Thread.currentThread().interrupt();
				awaitLossHere();
				return "done";
			});
			assertThat(Thread.interrupted()).isTrue();
		});
	}

	@Test
	void nestedBodyIsInterruptedByTheLossOfTheLockItEnteredAgain() {
		run((values, lock) -> assertThat(values.shortly("1", () -> values.interrupted("1", () -> {
			boolean interrupted = sleepUntilInterrupted();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			return interrupted;
		}))).isTrue());
	}

	@Test
	void interruptOfTheOuterBodyIsNotSwallowedByAnInnerOneThatWasInterruptedFirst() {
		run((values, lock) -> assertThat(values.interruptedLater("1", () -> {
			LockContext outer = LockContext.current();
			boolean inner = values.interrupted("2", ValueCallTests::sleepUntilInterrupted);
			assertThat(inner).isTrue();
			assertThat(outer.isHeld()).isTrue();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			values.interrupted("3", () -> {
				awaitLossHere();
				while (outer.isHeld()) {
					Thread.onSpinWait();
				}
				pause(Duration.ofMillis(300));
				return "both are told";
			});
			return sleepUntilInterrupted();
		})).isTrue());
	}

	@Test
	void interruptOfTheOuterBodyIsNotSwallowedByAnInnerOneWhoseLockIsFine() {
		run((values, lock) -> assertThat(values.interrupted("1", () -> {
			values.failingLater("2", () -> {
				assertThat(sleepUntilInterrupted()).isTrue();
				return "swallowed";
			});
			boolean again = Thread.currentThread().isInterrupted();
			assertThat(sleepUntilInterrupted()).isTrue();
			values.interrupted("3", ValueCallTests::sleepUntilInterrupted);
			assertThat(Thread.currentThread().isInterrupted()).as("told twice").isFalse();
			return again;
		})).isTrue());
	}

	@Test
	void lossFailsACallThatWouldHaveSucceeded() {
		run((values, lock) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> values.failing("1", () -> {
				awaitLossHere();
				return "done";
			})).withMessageContaining("'disLock:1' was lost while ValueCallTests.Values.failing ran");
			await().atMost(SOON).until(() -> !lock.isLocked());
			assertThat(values.failing("1", () -> "done")).isEqualTo("done");
		});
	}

	@Test
	void lossDoesNotReplaceTheExceptionOfTheBody() {
		run((values, lock) -> assertThatIllegalStateException().isThrownBy(() -> values.failing("1", () -> {
			awaitLossHere();
			throw new IllegalStateException("broken");
		})).withMessage("broken"));
	}

	@Test
	void lossWithoutAWordLeavesTheResult() {
		run((values, lock) -> assertThat(values.shortly("1", () -> {
			awaitLossHere();
			return "done";
		})).isEqualTo("done"));
	}

	@Test
	void lockIsKeptForItsShortestHoldWithoutBlockingTheCaller() {
		run((values, lock) -> {
			long start = System.nanoTime();
			assertThat(values.atLeast("1", () -> "done")).isEqualTo("done");
			assertThat(lock.isLocked()).isTrue();
			assertThat(lock.holdCount()).isZero();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> values.atLeast("1", () -> "again"));
			await().atMost(SOON).pollInterval(Duration.ofMillis(5)).until(() -> !lock.isLocked());
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(390),
					Duration.ofSeconds(3));
			assertThat(values.atLeast("1", () -> "again")).isEqualTo("again");
		});
	}

	@Test
	void lockTakenInVainIsNotKeptForItsShortestHold() {
		run((values, lock) -> {
			DistributedLock other = values.locks().get("disLock:b");
			CompletableFuture.runAsync(other::lock, new SimpleAsyncTaskExecutor()).join();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> values.severalAtLeast(List.of("a", "b"), () -> "ran"));
			assertThat(values.locks().get("disLock:a").isLocked()).isFalse();
		});
	}

	@Test
	void lockOfTheBodyAroundIsKeptForItsShortestHoldAlthoughOthersWereRefused() {
		run((values, lock) -> {
			DistributedLock other = values.locks().get("disLock:b");
			CompletableFuture.runAsync(other::lock, new SimpleAsyncTaskExecutor()).join();
			values.atLeast("a", () -> assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> values.severalAtLeast(List.of("a", "b"), () -> "ran")));
			assertThat(values.locks().get("disLock:a").isLocked()).isTrue();
		});
	}

	@Test
	void writersLockThatIsReadWithinInVainIsKeptForItsShortestHold() {
		run((values, lock) -> {
			DistributedLock other = values.locks().get("disLock:b");
			CompletableFuture.runAsync(other::lock, new SimpleAsyncTaskExecutor()).join();
			values.writing("a", () -> assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> values.reading("a", () -> "ran")));
			assertThat(values.locks().get("disLock:a").isLocked()).isTrue();
		});
	}

	@Test
	void contextIsNotLeftOnAThreadWhoseBodyWasInterrupted() {
		run((values, lock) -> {
			AtomicReference<Throwable> thrown = new AtomicReference<>();
			CountDownLatch never = new CountDownLatch(1);
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> values.interrupted("1", () -> {
				try {
					return never.await(10, TimeUnit.SECONDS);
				}
				catch (InterruptedException ex) {
					thrown.set(ex);
					throw ex;
				}
			})).satisfies((ex) -> assertThat(ex).isSameAs(thrown.get()));
		});
	}

	private static boolean sleepUntilInterrupted() {
		try {
			return new CountDownLatch(1).await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			return true;
		}
	}

	private static void awaitLossHere() {
		LockContext context = LockContext.current();
		long deadline = System.nanoTime() + SOON.toNanos();
		while (context.isHeld() && deadline - System.nanoTime() > 0) {
			Thread.onSpinWait();
		}
		assertThat(context.isHeld()).isFalse();
	}

	private static void pause(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		while (end - System.nanoTime() > 0) {
			Thread.onSpinWait();
		}
	}

	private void run(Check check) {
		this.contextRunner.run((context) -> check.run(context.getBean(Values.class),
				context.getBean(DistributedLocks.class).get("disLock:1", LockOptions.defaults())));
	}

	interface Check {

		void run(Values values, DistributedLock lock) throws Exception;

	}

	static class Values {

		private final DistributedLocks locks;

		Values(DistributedLocks locks) {
			this.locks = locks;
		}

		DistributedLocks locks() {
			return this.locks;
		}

		@DistributedLockable(key = "#id")
		<T> T call(String id, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "#ids")
		<T> T several(List<String> ids, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "#ids", waitTime = 1)
		<T> T patient(List<String> ids, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "1", condition = "#wanted")
		<T> T conditional(boolean wanted, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "#id", expire = 50, unit = TimeUnit.MILLISECONDS)
		<T> T shortly(String id, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "#id", expire = 50, unit = TimeUnit.MILLISECONDS, onLost = OnLost.INTERRUPT)
		<T> T interrupted(String id, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "#id", type = LockType.WRITE, minHold = "400ms")
		<T> T writing(String id, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "#id", type = LockType.READ)
		@DistributedLockable(key = "b")
		<T> T reading(String id, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "#id", onLost = OnLost.FAIL)
		<T> T failingLater(String id, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "#id", expire = 1, onLost = OnLost.INTERRUPT)
		<T> T interruptedLater(String id, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "#id", expire = 50, unit = TimeUnit.MILLISECONDS, onLost = OnLost.FAIL)
		<T> T failing(String id, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "#ids", minHold = "400ms")
		<T> T severalAtLeast(List<String> ids, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "#id", minHold = "400ms")
		<T> T atLeast(String id, Callable<T> body) throws Exception {
			return body.call();
		}

	}

}
