package io.lockable.spring.call;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockStoreException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.OnFailure;
import io.lockable.spring.LocksInMemory;
import io.lockable.spring.metadata.LockOperation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link LockedInvoker} and {@link LockOperation}, through a proxy.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockedInvokerTests {

	private static final String LOGGER = "io.lockable.spring.call";

	private final LoggingSystem logging = LoggingSystem.get(LockedInvokerTests.class.getClassLoader());

	private final ApplicationContextRunner contextRunner = LocksInMemory.runner().withBean(Jobs.class);

	@Test
	void callWhenHeldByOtherThrowsAndDoesNotRunTheMethod() {
		whileHeld("disLock:1", (context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> jobs.byDefault("1"))
				.withMessage(
						"Lock 'disLock:1' for LockedInvokerTests.Jobs.byDefault(String) was not acquired: another owner holds it. The method was not run.");
			assertThat(jobs.ran()).isFalse();
		});
	}

	@BeforeEach
	void logSkippedCalls() {
		this.logging.setLogLevel(LOGGER, LogLevel.DEBUG);
	}

	@AfterEach
	void resetTheLogger() {
		this.logging.setLogLevel(LOGGER, null);
	}

	@Test
	void callWithSkipWhenHeldByOtherReturnsNullAndLogsTheKeyOnce(CapturedOutput output) {
		whileHeld("disLock:1", (context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThat(jobs.skip("1")).isNull();
			assertThat(jobs.ran()).isFalse();
		});
		assertThat(output.toString().lines().filter((line) -> line.contains("'disLock:1'"))).singleElement()
			.asString()
			.contains("DEBUG", "Skipped", "LockedInvokerTests.Jobs.skip(String)");
	}

	@Test
	void keyCannotForgeALineOfTheLog(CapturedOutput output) {
		String forged = "1\n2026-01-01 WARN everything is lost";
		whileHeld("disLock:" + forged, (context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThat(jobs.skip(forged)).isNull();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> jobs.byDefault(forged))
				.withMessageContaining("'disLock:1\\u000a2026-01-01 WARN everything is lost'");
		});
		assertThat(output).contains("another owner holds lock 'disLock:1\\u000a2026-01-01 WARN everything is lost'");
		assertThat(output.toString().lines()).noneMatch((line) -> line.startsWith("2026-01-01 WARN"));
	}

	@Test
	void callWithSkipWhenHeldByOtherReturnsEmptyOptional() {
		whileHeld("disLock:1", (context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThat(jobs.skipOptional("1")).isEmpty();
			assertThat(jobs.ran()).isFalse();
		});
		this.contextRunner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean("loader", OptionalLoader.class)
			.run(heldBy("disLock:1",
					(context) -> assertThat(context.getBean(Loader.class).load("1")).isEqualTo(Optional.empty())));
	}

	@Test
	void onFailurePropertySkips() {
		this.contextRunner.withPropertyValues("distributed-lock.on-failure=skip").run(heldBy("disLock:1", (context) -> {
			context.getBean(Jobs.class).byDefault("1");
			assertThat(context.getBean(Jobs.class).ran()).isFalse();
		}));
	}

	@Test
	void scheduledMethodSkipsByDefault() {
		whileHeld("disLock:scheduled", (context) -> {
			context.getBean(Jobs.class).scheduled();
			assertThat(context.getBean(Jobs.class).ran()).isFalse();
		});
	}

	@Test
	void exceptionOfTheMethodReachesTheCallerAndTheLockIsReleased() {
		this.contextRunner.run((context) -> {
			IOException failure = new IOException("broken");
			assertThatExceptionOfType(IOException.class)
				.isThrownBy(() -> context.getBean(Jobs.class).fail("1", failure))
				.isSameAs(failure);
			assertThat(context.getBean(DistributedLocks.class).get("disLock:1").isLocked()).isFalse();
		});
	}

	@Test
	void notAcquiredExceptionOfTheMethodIsNotTakenForContention() {
		this.contextRunner.run((context) -> {
			LockNotAcquiredException failure = new LockNotAcquiredException("another lock");
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> context.getBean(Jobs.class).failSkipping("1", failure))
				.isSameAs(failure);
			assertThat(context.getBean(DistributedLocks.class).get("disLock:1").isLocked()).isFalse();
		});
	}

	@Test
	void failingStoreIsNeitherSkippedNorRunUnlocked() {
		DistributedLock lock = lock();
		given(lock.tryLock()).willThrow(new LockStoreException("down", null));
		withLock(lock).run((context) -> {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> context.getBean(Jobs.class).skip("1"));
			assertThat(context.getBean(Jobs.class).ran()).isFalse();
			then(lock).should(never()).unlock();
		});
	}

	@Test
	void lossOfTheLockDoesNotReplaceTheResult() {
		DistributedLock lock = lock();
		given(lock.tryLock()).willReturn(true);
		willThrow(new LockLostException("lost")).given(lock).unlock();
		withLock(lock).run((context) -> assertThat(context.getBean(Jobs.class).skip("1")).isEqualTo("done"));
	}

	@Test
	void failingReleaseDoesNotReplaceTheResult(CapturedOutput output) {
		DistributedLock lock = lock();
		given(lock.tryLock()).willReturn(true);
		given(lock.key()).willReturn("disLock:1");
		willThrow(new LockStoreException("down", null)).given(lock).unlock();
		withLock(lock).run((context) -> assertThat(context.getBean(Jobs.class).skip("1")).isEqualTo("done"));
		assertThat(output).contains("WARN", "Failed to release lock 'disLock:1'");
	}

	@Test
	void failingReleaseIsSuppressedByTheExceptionOfTheMethod() {
		DistributedLock lock = lock();
		given(lock.tryLock()).willReturn(true);
		LockLostException lost = new LockLostException("lost");
		willThrow(lost).given(lock).unlock();
		IOException failure = new IOException("broken");
		withLock(lock).run((context) -> assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> context.getBean(Jobs.class).fail("1", failure))
			.isSameAs(failure)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).containsExactly(lost)));
	}

	@Test
	void interruptedWaitThrowsInterruptedExceptionWhenDeclared() {
		AtomicReference<Throwable> thrown = new AtomicReference<>();
		whileHeld("disLock:1", (context) -> {
			interruptWaiting(() -> context.getBean(Jobs.class).waitingDeclared("1"), thrown);
			assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
			assertThat(context.getBean(Jobs.class).ran()).isFalse();
		});
	}

	@Test
	void interruptedWaitThrowsLockExceptionAndRestoresTheFlagWhenNotDeclared() {
		AtomicReference<Throwable> thrown = new AtomicReference<>();
		whileHeld("disLock:1", (context) -> {
			boolean interrupted = interruptWaiting(() -> context.getBean(Jobs.class).waiting("1"), thrown);
			assertThat(interrupted).isTrue();
			assertThat(thrown.get()).isExactlyInstanceOf(LockException.class)
				.hasMessageContainingAll("'disLock:1'", "LockedInvokerTests.Jobs.waiting(String)")
				.hasCauseInstanceOf(InterruptedException.class);
			assertThat(context.getBean(Jobs.class).ran()).isFalse();
		});
	}

	@Test
	void waitTimeWaitsForTheHolder() {
		this.contextRunner.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Lease lease = locks.get("disLock:1").tryAcquire().orElseThrow();
			Thread waiter = new Thread(() -> context.getBean(Jobs.class).waiting("1"));
			waiter.start();
			await().until(
					() -> waiter.getState() == Thread.State.TIMED_WAITING || waiter.getState() == Thread.State.WAITING);
			lease.close();
			waiter.join(TimeUnit.SECONDS.toMillis(30));
			assertThat(context.getBean(Jobs.class).ran()).isTrue();
		});
	}

	@Test
	void prefixDefaultsToTheProperty() {
		this.contextRunner.withPropertyValues("distributed-lock.prefix=shop:")
			.run(heldBy("shop:1", (context) -> assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> context.getBean(Jobs.class).byDefault("1"))));
	}

	private static DistributedLock lock() {
		DistributedLock lock = mock(DistributedLock.class);
		given(lock.lease()).willReturn(mock(Lease.class));
		return lock;
	}

	private ApplicationContextRunner withLock(DistributedLock lock) {
		DistributedLocks locks = mock(DistributedLocks.class);
		given(locks.get(eq("disLock:1"), any())).willReturn(lock);
		return this.contextRunner.withBean(DistributedLocks.class, () -> locks);
	}

	private void whileHeld(String key, ContextConsumer<AssertableApplicationContext> check) {
		this.contextRunner.run(heldBy(key, check));
	}

	private static ContextConsumer<AssertableApplicationContext> heldBy(String key,
			ContextConsumer<AssertableApplicationContext> check) {
		return (context) -> {
			try (Lease lease = context.getBean(DistributedLocks.class).get(key).tryAcquire().orElseThrow()) {
				check.accept(context);
				assertThat(lease.isHeld()).isTrue();
			}
		};
	}

	private static boolean interruptWaiting(Body body, AtomicReference<Throwable> thrown) throws InterruptedException {
		CountDownLatch started = new CountDownLatch(1);
		AtomicReference<Boolean> interrupted = new AtomicReference<>();
		Thread waiter = new Thread(() -> {
			started.countDown();
			try {
				body.run();
			}
			catch (Throwable ex) {
				thrown.set(ex);
			}
			interrupted.set(Thread.currentThread().isInterrupted());
		});
		waiter.start();
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		await()
			.until(() -> waiter.getState() == Thread.State.TIMED_WAITING || waiter.getState() == Thread.State.WAITING);
		waiter.interrupt();
		waiter.join(TimeUnit.SECONDS.toMillis(30));
		return interrupted.get();
	}

	private interface Body {

		void run() throws Exception;

	}

	interface Loader<T> {

		T load(String id);

	}

	public static class OptionalLoader implements Loader<Optional<String>> {

		@Override
		@DistributedLockable(key = "#id", onFailure = OnFailure.SKIP)
		public Optional<String> load(String id) {
			return Optional.of(id);
		}

	}

	public static class Jobs {

		private volatile boolean ran;

		boolean ran() {
			return this.ran;
		}

		private String done() {
			this.ran = true;
			return "done";
		}

		@DistributedLockable(key = "#id")
		public void byDefault(String id) {
			done();
		}

		@DistributedLockable(key = "#id", onFailure = OnFailure.SKIP)
		public String skip(String id) {
			return done();
		}

		@DistributedLockable(key = "#id", onFailure = OnFailure.SKIP)
		public Optional<String> skipOptional(String id) {
			return Optional.of(done());
		}

		@Scheduled(fixedDelay = 1000)
		@DistributedLockable(key = "scheduled")
		public void scheduled() {
			done();
		}

		@DistributedLockable(key = "#id")
		public void fail(String id, IOException failure) throws IOException {
			throw failure;
		}

		@DistributedLockable(key = "#id", onFailure = OnFailure.SKIP)
		public void failSkipping(String id, RuntimeException failure) {
			throw failure;
		}

		@DistributedLockable(key = "#id", waitTime = 60)
		public void waiting(String id) {
			done();
		}

		@DistributedLockable(key = "#id", waitTime = 60)
		public void waitingDeclared(String id) throws InterruptedException {
			done();
		}

	}

}
