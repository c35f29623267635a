package io.lockable.autoconfigure.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockNotAcquiredException;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for suspending functions of Kotlin, and for functions that return a {@code Flow}.
 */
class SuspendingTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withBean(Suspending.class)
		.withBean(Caller.class)
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class,
				DistributedLockAopAutoConfiguration.class));

	@Test
	void suspendingFunctionIsNotReleasedBeforeItsWorkIsDone() {
		run((caller, lock) -> {
			CompletableFuture<String> work = CompletableFuture.supplyAsync(() -> caller.work("1"),
					new SimpleAsyncTaskExecutor());
			caller.awaitStart();
			assertThat(lock.isLocked()).isTrue();
			caller.letEnd();
			assertThat(get(work)).isEqualTo("done");
			assertThat(lock.isLocked()).isFalse();
		});
	}

	@Test
	void flowIsNotReleasedBeforeItsWorkIsDone() {
		run((caller, lock) -> {
			CompletableFuture<List<Integer>> values = CompletableFuture.supplyAsync(() -> caller.values("1"),
					new SimpleAsyncTaskExecutor());
			caller.awaitStart();
			assertThat(lock.isLocked()).isTrue();
			caller.letEnd();
			assertThat(get(values)).containsExactly(1, 2);
			assertThat(lock.isLocked()).isFalse();
		});
	}

	@Test
	void fallbackOfASuspendingFunctionIsRefusedAtStart() {
		this.contextRunner.withBean(SuspendingWithFallback.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("cannot replace a suspending function"));
	}

	@ParameterizedTest
	@ValueSource(classes = { SkippingNumber.class, SkippingText.class, SkippingPlainText.class })
	void functionThatCannotReturnNullMayNotBeSkipped(Class<?> type) {
		this.contextRunner.withBean(type)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining(
						"a skipped call returns null, which the result of this Kotlin function cannot be"));
	}

	@Test
	void functionThatReturnsNothingMayBeSkipped() {
		this.contextRunner.withBean(SkippingNothing.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void failureOfTheFunctionReleases() {
		run((caller, lock) -> {
			assertThatIllegalStateException().isThrownBy(() -> caller.fail("1")).withMessage("broken");
			assertThat(lock.isLocked()).isFalse();
		});
	}

	@Test
	void cancellationOfTheCoroutineReleases() {
		run((caller, lock) -> {
			caller.cancelWhenStarted("1", () -> assertThat(lock.isLocked()).isTrue());
			assertThat(lock.isLocked()).isFalse();
		});
	}

	@Test
	void functionWhoseLockIsHeldByOtherThrowsOrIsSkipped() {
		run((caller, lock) -> {
			lock.lock();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> caller.token("1"));
			assertThat(caller.skip("1")).isNull();
			lock.unlock();
			assertThat(caller.skip("1")).isEqualTo("done");
		});
	}

	@Test
	void nestedFunctionEntersTheSameLock() {
		run((caller, lock) -> {
			assertThat(caller.outer("1")).isPositive();
			assertThat(lock.isLocked()).isFalse();
		});
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(10, TimeUnit.SECONDS);
	}

	private void run(Check check) {
		this.contextRunner.run((context) -> check.run(context.getBean(Caller.class),
				context.getBean(DistributedLocks.class).get("disLock:1")));
	}

	interface Check {

		void run(Caller caller, DistributedLock lock) throws Exception;

	}

}
