package io.lockable.spring.call;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockContext;
import io.lockable.LockException;
import io.lockable.LockKeyException;
import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.OnFailure;
import io.lockable.annotation.OnLost;
import io.lockable.spring.LocksInMemory;
import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link StageCall}, through a proxy.
 */
class StageCallTests {

	private final ApplicationContextRunner contextRunner = LocksInMemory.runner().withBean(Stages.class);

	@Test
	void completableFutureIsNotReleasedBeforeItsWorkIsDone() {
		run((stages, lock) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = stages.future("1", work);
			assertThat(lock.isLocked()).isTrue();
			assertThat(result).isNotDone();
			work.complete("done");
			assertThat(result).isCompletedWithValue("done");
			assertThat(lock.isLocked()).isFalse();
		});
	}

	@Test
	void lockIsFreeForWhoeverDependsOnTheResult() {
		run((stages, lock) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> next = stages.future("1", work)
				.thenCompose((value) -> stages.future("1", CompletableFuture.completedFuture(value + " twice")));
			work.complete("done");
			assertThat(next).isCompletedWithValue("done twice");
		});
	}

	@Test
	void resultIsGivenOnTheThreadThatEndedTheWork() throws Exception {
		run((stages, lock) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<Thread> dependent = stages.future("1", work).thenApply((value) -> Thread.currentThread());
			Thread thread = new Thread(() -> work.complete("done"));
			thread.start();
			assertThat(dependent.get(10, TimeUnit.SECONDS)).isSameAs(thread);
		});
	}

	@Test
	void failureOfTheWorkReachesTheCallerAndReleases() {
		run((stages, lock) -> {
			IllegalStateException failure = new IllegalStateException("broken");
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = stages.future("1", work);
			work.completeExceptionally(failure);
			assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join)
				.havingCause()
				.isSameAs(failure);
			assertThat(lock.isLocked()).isFalse();
		});
	}

	@Test
	void exceptionOfTheMethodIsThrownAndReleases() {
		run((stages, lock) -> {
			assertThatIllegalStateException().isThrownBy(() -> stages.throwing("1")).withMessage("broken");
			assertThat(lock.isLocked()).isFalse();
		});
	}

	@Test
	void nullInsteadOfAStageReleases() {
		run((stages, lock) -> {
			assertThat(stages.stage("1", null)).isNull();
			assertThat(lock.isLocked()).isFalse();
		});
	}

	@Test
	void cancellationCancelsTheWorkAndReleasesBeforeAnybodyIsTold() {
		run((stages, lock) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = stages.future("1", work);
			AtomicReference<Boolean> lockedWhenTold = new AtomicReference<>();
			result.whenComplete((value, failure) -> lockedWhenTold.set(lock.isLocked()));
			assertThat(result.cancel(true)).isTrue();
			assertThat(work).isCancelled();
			assertThat(result).isCancelled();
			assertThat(lockedWhenTold).hasValue(false);
			assertThatExceptionOfType(CancellationException.class).isThrownBy(result::join);
			assertThat(result.cancel(true)).isTrue();
		});
	}

	@Test
	void workThatCannotBeCancelledKeepsTheLock() {
		run((stages, lock) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletionStage<String> result = stages.stage("1", work.minimalCompletionStage());
			assertThat(result.toCompletableFuture().cancel(true)).isTrue();
			assertThat(lock.isLocked()).isTrue();
			work.complete("done");
			assertThat(lock.isLocked()).isFalse();
		});
	}

	@Test
	void callerWhoGivesUpDoesNotReleaseTheLockOfTheWork() {
		run((stages, lock) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = stages.future("1", work).orTimeout(10, TimeUnit.MILLISECONDS);
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(result::get)
				.withCauseInstanceOf(TimeoutException.class);
			assertThat(lock.isLocked()).isTrue();
			work.complete("done");
			assertThat(lock.isLocked()).isFalse();
		});
	}

	@Test
	void cancellationAndCompletionTogetherReleaseOnce() {
		run((stages, lock) -> {
			for (int i = 0; i < 500; i++) {
				CompletableFuture<String> work = new CompletableFuture<>();
				CompletableFuture<String> result = stages.future("1", work);
				CompletableFuture<Void> completion = CompletableFuture.runAsync(() -> work.complete("done"),
						new SimpleAsyncTaskExecutor());
				result.cancel(true);
				completion.join();
				assertThat(result).isDone();
				assertThat(lock.isLocked()).isFalse();
			}
		});
	}

	@Test
	void contentionArrivesThroughTheFuture() {
		run((stages, lock) -> {
			lock.lock();
			CompletableFuture<String> result = CompletableFuture
				.supplyAsync(() -> stages.future("1", CompletableFuture.completedFuture("done")),
						new SimpleAsyncTaskExecutor())
				.join();
			assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join)
				.withCauseInstanceOf(LockNotAcquiredException.class);
			lock.unlock();
		});
	}

	@Test
	void skippedCallCompletesWithNull() {
		run((stages, lock) -> {
			lock.lock();
			assertThat(CompletableFuture
				.supplyAsync(() -> stages.skip("1", new CompletableFuture<>()), new SimpleAsyncTaskExecutor())
				.join()).isCompletedWithValue(null);
			lock.unlock();
		});
	}

	@Test
	void fallbackGivesTheStage() {
		run((stages, lock) -> {
			lock.lock();
			assertThat(CompletableFuture.supplyAsync(() -> stages.fallback("1"), new SimpleAsyncTaskExecutor()).join())
				.isCompletedWithValue("fallback of 1");
			lock.unlock();
			assertThat(stages.fallback("1")).isCompletedWithValue("done");
		});
	}

	@Test
	void notAcquiredExceptionOfTheWorkIsNotTakenForContention() {
		run((stages, lock) -> {
			LockNotAcquiredException failure = new LockNotAcquiredException("another lock");
			CompletableFuture<String> result = stages.skip("1", CompletableFuture.failedFuture(failure));
			assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join)
				.havingCause()
				.isSameAs(failure);
		});
	}

	@Test
	void keyThatCannotBeBuiltArrivesThroughTheFuture() {
		run((stages, lock) -> {
			CompletableFuture<String> result = stages.future(null, new CompletableFuture<>());
			assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join)
				.withCauseInstanceOf(LockKeyException.class);
		});
	}

	@Test
	void threadThatHoldsTheLockIsToldAtOnceInsteadOfWaitingForItself() {
		run((stages, lock) -> lock.run(() -> {
			CompletableFuture<String> result = stages.patient("1");
			assertThat(result).isCompletedExceptionally();
			assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join)
				.havingCause()
				.isExactlyInstanceOf(LockException.class)
				.withMessageContaining("would wait for itself");
		}));
	}

	@Test
	void contextShowsTheLockAndFollowsTheWork() {
		run((stages, lock) -> {
			CompletableFuture<LockContext> elsewhere = stages.context("1");
			LockContext context = elsewhere.join();
			assertThat(context.key()).isEqualTo("disLock:1");
			assertThat(context.fencingToken()).isPositive();
			assertThat(LockContext.find()).isEmpty();
		});
	}

	@Test
	void lossFailsACallThatWouldHaveSucceeded() {
		run((stages, lock) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = stages.failing("1", work);
			awaitLoss(lock);
			work.complete("done");
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(10, TimeUnit.SECONDS))
				.withCauseInstanceOf(LockLostException.class);
		});
	}

	@Test
	void lossDoesNotReplaceTheFailureOfTheWork() {
		run((stages, lock) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = stages.failing("1", work);
			awaitLoss(lock);
			work.completeExceptionally(new IllegalStateException("broken"));
			assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join)
				.withCauseInstanceOf(IllegalStateException.class);
		});
	}

	@Test
	void callThatMayNotLoseItsLockSucceedsWithIt() throws Exception {
		run((stages,
				lock) -> assertThat(
						stages.failing("1", CompletableFuture.completedFuture("done")).get(10, TimeUnit.SECONDS))
					.isEqualTo("done"));
	}

	@Test
	void lossCancelsWorkThatIsToBeInterrupted() {
		run((stages, lock) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = stages.interrupted("1", work);
			await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(result).isCancelled());
			assertThat(work).isCancelled();
		});
	}

	@Test
	void lossWithoutAWordLeavesTheWorkAlone() {
		run((stages, lock) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = stages.warned("1", work);
			awaitLoss(lock);
			assertThat(result).isNotDone();
			work.complete("done");
			assertThat(result).isCompletedWithValue("done");
		});
	}

	private static void awaitLoss(DistributedLock lock) {
		await().atMost(Duration.ofSeconds(10)).until(() -> !lock.isLocked());
	}

	private void run(Check check) {
		this.contextRunner.run((context) -> check.run(context.getBean(Stages.class),
				context.getBean(DistributedLocks.class).get("disLock:1")));
	}

	interface Check {

		void run(Stages stages, DistributedLock lock) throws Exception;

	}

	static class Stages {

		@DistributedLockable(key = "#id")
		CompletableFuture<String> future(@Nullable String id, CompletableFuture<String> work) {
			return work;
		}

		@DistributedLockable(key = "#id")
		@Nullable CompletionStage<String> stage(String id, @Nullable CompletionStage<String> work) {
			return work;
		}

		@DistributedLockable(key = "#id")
		CompletableFuture<String> throwing(String id) {
			throw new IllegalStateException("broken");
		}

		@DistributedLockable(key = "#id", onFailure = OnFailure.SKIP)
		CompletableFuture<String> skip(String id, CompletableFuture<String> work) {
			return work;
		}

		@DistributedLockable(key = "#id", fallback = "instead")
		CompletableFuture<String> fallback(String id) {
			return CompletableFuture.completedFuture("done");
		}

		CompletableFuture<String> instead(String id) {
			return CompletableFuture.completedFuture("fallback of " + id);
		}

		@DistributedLockable(key = "#id", waitTime = 60)
		CompletableFuture<String> patient(String id) {
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLockable(key = "#id")
		CompletableFuture<LockContext> context(String id) {
			LockContext here = LockContext.current();
			Executor carrying = ContextSnapshotFactory.builder()
				.build()
				.captureAll()
				.wrapExecutor(new SimpleAsyncTaskExecutor());
			return CompletableFuture.supplyAsync(() -> {
				LockContext.current().assertHeld();
				assertThat(LockContext.current()).isSameAs(here);
				return LockContext.current();
			}, carrying);
		}

		@DistributedLockable(key = "#id", expire = 50, unit = TimeUnit.MILLISECONDS, onLost = OnLost.FAIL)
		CompletableFuture<String> failing(String id, CompletableFuture<String> work) {
			return work;
		}

		@DistributedLockable(key = "#id", expire = 50, unit = TimeUnit.MILLISECONDS, onLost = OnLost.INTERRUPT)
		CompletableFuture<String> interrupted(String id, CompletableFuture<String> work) {
			return work;
		}

		@DistributedLockable(key = "#id", expire = 50, unit = TimeUnit.MILLISECONDS)
		CompletableFuture<String> warned(String id, CompletableFuture<String> work) {
			return work;
		}

	}

}
