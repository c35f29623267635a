package io.lockable.autoconfigure.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockNotAcquiredException;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.spring.InvalidDistributedLockableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.util.ClassUtils;

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
	void suspendingFallbackReplacesTheFunction() {
		withFallbacks((caller, lock) -> {
			assertThat(caller.suspending("1")).isEqualTo("done");
			lock.lock();
			assertThat(caller.suspending("1")).isEqualTo("1 instead: caller, LockNotAcquiredException");
			assertThatIllegalStateException().isThrownBy(() -> caller.failing("1")).withMessage("instead of 1");
			lock.unlock();
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', value = {
			"SuspendingWithOtherResult|returns java.lang.Integer, which is not assignable to java.lang.String|Change its return type to java.lang.String.",
			"SuspendingWithOtherPlainResult|returns int, which is not assignable to java.lang.String|Change its return type to java.lang.String.",
			"SuspendingWithOtherArguments|does not take the same arguments|Write suspend String instead(String), optionally with a LockNotAcquiredException at the end.",
			"PlainWithSuspendingFallback|does not take the same arguments|Write String instead(String), optionally" })
	void fallbackThatDoesNotFitIsRefused(String type, String problem, String action) {
		this.contextRunner.withBean(ClassUtils.resolveClassName(getClass().getPackageName() + '.' + type, null))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidDistributedLockableException.class, (failure) -> {
					assertThat(failure.getDescription()).contains(problem);
					assertThat(failure.getAction()).startsWith(action);
				}));
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

	private void withFallbacks(FallbackCheck check) {
		this.contextRunner.withBean(SuspendingWithFallback.class)
			.withBean("otherBean", OtherBean.class)
			.withBean(FallbackCaller.class)
			.run((context) -> check.run(context.getBean(FallbackCaller.class),
					context.getBean(DistributedLocks.class).get("disLock:1")));
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(10, TimeUnit.SECONDS);
	}

	private void run(Check check) {
		this.contextRunner.run((context) -> check.run(context.getBean(Caller.class),
				context.getBean(DistributedLocks.class).get("disLock:1")));
	}

	interface FallbackCheck {

		void run(FallbackCaller caller, DistributedLock lock) throws Exception;

	}

	interface Check {

		void run(Caller caller, DistributedLock lock) throws Exception;

	}

}
