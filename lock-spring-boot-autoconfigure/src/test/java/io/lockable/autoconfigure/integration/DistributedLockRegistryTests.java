package io.lockable.autoconfigure.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockKeyException;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.Renewal;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.ArgumentCaptor;

import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link DistributedLockRegistry}.
 */
class DistributedLockRegistryTests {

	private static final LockOptions OPTIONS = LockOptions.defaults();

	private static final Duration SHORT = Duration.ofMillis(500);

	private static final Duration RENEWED = Duration.ofSeconds(3);

	private static final Duration LONG = Duration.ofSeconds(30);

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final LockEngine engine = engine(this.store);

	private final DistributedLockRegistry registry = registry(OPTIONS);

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	void keyIsThePrefixAndTheText() {
		assertThat(this.registry.obtain("a")).hasToString("RegistryLock[app:a]");
		assertThat(this.registry.obtain(42L)).hasToString("RegistryLock[app:42]");
		assertThat(this.registry.obtain(Renewal.ON)).hasToString("RegistryLock[app:ON]");
		UUID id = UUID.randomUUID();
		assertThat(this.registry.obtain(id)).hasToString("RegistryLock[app:" + id + "]");
		Lock lock = this.registry.obtain("a");
		lock.lock();
		assertThat(this.engine.get("app:a").isLocked()).isTrue();
		lock.unlock();
		assertThat(this.engine.get("app:a").isLocked()).isFalse();
	}

	@Test
	void retainAppliesToLocksWithoutATimeToLive() throws Exception {
		DistributedLocks locks = mock(DistributedLocks.class);
		ArgumentCaptor<LockOptions> options = ArgumentCaptor.forClass(LockOptions.class);
		given(locks.get(any(), options.capture())).willAnswer((call) -> this.engine.get(call.getArgument(0)));
		DistributedLockRegistry retaining = new DistributedLockRegistry(locks, "app:", OPTIONS.withRetain(SHORT));
		retaining.obtain("a").lock();
		assertThat(options.getValue().retain()).isEqualTo(SHORT);
		retaining.obtain("b").lock(LONG);
		assertThat(options.getValue().retain()).isZero();
		retaining.setRenewalTaskScheduler(mock(TaskScheduler.class));
		assertThat(retaining.obtain("c").tryLock(Duration.ZERO, LONG)).isTrue();
		assertThat(options.getValue().retain()).isZero();
		for (String key : List.of("a", "b", "c")) {
			retaining.obtain(key).unlock();
		}
	}

	@ParameterizedTest
	@MethodSource
	void keyWithoutATextOfItsOwnIsRefused(Object key) {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> this.registry.obtain(key))
			.withMessageContaining("'lockKey' is");
	}

	static Stream<Arguments> keyWithoutATextOfItsOwnIsRefused() {
		return Stream.<Object>of(new Object(), new byte[] { 1 }, new String[] { "a" }, List.of("a"), Map.of(), "", " ",
				(Runnable) () -> {
				})
			.map((key) -> Arguments.of(key));
	}

	@Test
	void lockIsReentrant() throws Exception {
		Lock lock = this.registry.obtain("a");
		lock.lock();
		lock.lockInterruptibly();
		assertThat(lock.tryLock()).isTrue();
		assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isTrue();
		for (int i = 0; i < 4; i++) {
			assertThat(tryInOtherThread(lock)).isFalse();
			lock.unlock();
		}
		assertThat(tryInOtherThread(lock)).isTrue();
	}

	@Test
	void interruptEndsAWaitThatReactsToIt() throws Exception {
		Lease other = this.engine.get("app:a").acquire();
		Lock lock = this.registry.obtain("a");
		AtomicReference<Throwable> thrown = new AtomicReference<>();
		Thread waiter = new Thread(() -> {
			try {
				lock.lockInterruptibly();
			}
			catch (InterruptedException ex) {
				thrown.set(ex);
			}
		});
		waiter.start();
		await()
			.until(() -> waiter.getState() == Thread.State.WAITING || waiter.getState() == Thread.State.TIMED_WAITING);
		waiter.interrupt();
		waiter.join(10_000);
		assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
		other.close();
		assertThat(lock.tryLock()).isTrue();
	}

	@Test
	void unlockOfALockThatIsNotHeldIsAnIllegalState() throws Exception {
		Lock lock = this.registry.obtain("a");
		assertThatIllegalStateException().isThrownBy(lock::unlock)
			.withMessage("You do not own lock at 'app:a'")
			.withCauseInstanceOf(IllegalMonitorStateException.class);
		lock.lock();
		CompletableFuture<Void> wrongOne = CompletableFuture.runAsync(lock::unlock, new SimpleAsyncTaskExecutor());
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> wrongOne.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(IllegalStateException.class);
		lock.unlock();
	}

	@Test
	void unlockOfALockThatIsLostIsAConcurrentModification() {
		Lock lock = this.registry.obtain("a");
		lock.lock();
		takeAway("app:a");
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock)
			.withMessageContaining("Lock at 'app:a' is lost")
			.withCauseInstanceOf(LockLostException.class);
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertThat(lock.tryLock()).isTrue();
	}

	/**
	 * The heartbeat of a leader initiator locks and unlocks.
	 */
	@Test
	void lockThatIsLostIsNotAcquiredAnewBeforeItsUnlock() {
		Lock lock = this.registry.obtain("a");
		lock.lock();
		takeAway("app:a");
		this.engine.verify("app:a");
		assertThatExceptionOfType(CannotAcquireLockException.class).isThrownBy(lock::tryLock)
			.withMessage("Lock at 'app:a' is lost: unlock it before it is locked again");
		assertThat(this.engine.get("app:a").isLocked()).isFalse();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

	@Test
	void timeToLiveIsALeaseThatIsNotRenewed() throws Exception {
		org.springframework.integration.support.locks.DistributedLock lock = this.registry.obtain("a");
		assertThat(lock.tryLock(Duration.ZERO, LONG)).isTrue();
		assertThat(remaining("app:a")).isBetween(LONG.minusSeconds(10), LONG);
		lock.unlock();
		lock.lock(SHORT);
		await().until(() -> !this.engine.get("app:a").isLocked());
	}

	@Test
	void lockWithoutATimeToLiveIsRenewed() {
		DistributedLockRegistry renewing = registry(OPTIONS.withLease(RENEWED));
		Lock lock = renewing.obtain("a");
		lock.lock();
		awaitRenewal("app:a");
		lock.unlock();
	}

	@Test
	void schedulerForRenewalLetsATimeToLiveBeRenewed() {
		try (SimpleAsyncTaskScheduler scheduler = new SimpleAsyncTaskScheduler()) {
			this.registry.setRenewalTaskScheduler(scheduler);
			this.registry.obtain("a").lock(RENEWED);
			awaitRenewal("app:a");
			this.registry.obtain("a").unlock();
		}
	}

	@Test
	void renewalLetsTheLockLive() {
		org.springframework.integration.support.locks.DistributedLock lock = this.registry.obtain("a");
		lock.lock(Duration.ofSeconds(5));
		this.registry.renewLock("a", LONG);
		assertThat(remaining("app:a")).isGreaterThan(Duration.ofSeconds(20));
		this.registry.renewLock("a", Duration.ofSeconds(1));
		assertThat(remaining("app:a")).as("never shortened").isGreaterThan(Duration.ofSeconds(20));
	}

	@Test
	void renewalOfALockThatIsNotHeldOrLostIsAnIllegalState() {
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("a"))
			.withMessage("You do not own lock at 'app:a'");
		this.registry.obtain("a").lock();
		takeAway("app:a");
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("a"))
			.withMessageContaining("Could not renew lock at 'app:a'");
	}

	@Test
	void bodyRunsUnderTheLock() throws Exception {
		assertThat(this.registry.<Boolean, RuntimeException>executeLocked("a", () -> isHeldByThisThread("app:a")))
			.isTrue();
		AtomicReference<Boolean> held = new AtomicReference<>();
		this.registry.<RuntimeException>executeLocked("a", Duration.ofSeconds(1),
				() -> held.set(isHeldByThisThread("app:a")));
		assertThat(held.get()).isTrue();
		assertThat(this.engine.get("app:a").isLocked()).isFalse();
	}

	@Test
	void bodyIsNotRunWhenTheWaitIsOver() throws Exception {
		Lease other = this.engine.get("app:a").acquire();
		AtomicReference<String> ran = new AtomicReference<>();
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(
				() -> this.registry.<RuntimeException>executeLocked("a", Duration.ofMillis(10), () -> ran.set("ran")))
			.withMessageContaining("app:a");
		assertThat(ran.get()).isNull();
		other.close();
	}

	@Test
	void lossIsToldAfterABodyThatSucceeds() {
		assertThatExceptionOfType(ConcurrentModificationException.class)
			.isThrownBy(() -> this.registry.<RuntimeException>executeLocked("a", () -> takeAway("app:a")));
	}

	@Test
	void exceptionOfTheBodyWinsOverTheLoss() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.<RuntimeException>executeLocked("a", () -> {
			takeAway("app:a");
			throw new IllegalArgumentException("body");
		})).withMessage("body").satisfies((ex) -> assertThat(ex.getSuppressed()).hasSize(1));
	}

	@Test
	void storeThatFailsCannotLock() {
		LockStore failing = mock(LockStore.class);
		given(failing.acquire(any(), any(), any()))
			.willReturn(CompletableFuture.failedFuture(new LockStoreException("down", null)));
		given(failing.release(any(), any())).willReturn(CompletableFuture.completedFuture(true));
		try (LockEngine down = engine(failing)) {
			Lock lock = new DistributedLockRegistry(down, "app:", OPTIONS).obtain("a");
			assertThatExceptionOfType(CannotAcquireLockException.class).isThrownBy(lock::tryLock)
				.withMessageContaining("Failed to lock at 'app:a'")
				.withCauseInstanceOf(LockStoreException.class);
			assertThatExceptionOfType(CannotAcquireLockException.class)
				.isThrownBy(() -> lock.tryLock(1, TimeUnit.MILLISECONDS));
		}
	}

	@Test
	void thereIsNothingToExpire() {
		Lock lock = this.registry.obtain("a");
		lock.lock();
		this.registry.expireUnusedOlderThan(-1);
		this.registry.obtain("a").unlock();
		assertThat(this.registry).hasToString("DistributedLockRegistry[app:]");
	}

	private DistributedLockRegistry registry(LockOptions options) {
		return new DistributedLockRegistry(this.engine, "app:", options);
	}

	private static LockEngine engine(LockStore store) {
		return LockEngine.builder(store).shutdownTimeout(Duration.ZERO).build();
	}

	private boolean isHeldByThisThread(String key) {
		return this.engine.get(key).isHeldByCurrentThread();
	}

	private Duration remaining(String key) {
		return this.engine.get(key).lease().remaining();
	}

	private void awaitRenewal(String key) {
		Lease lease = this.engine.get(key).lease();
		AtomicReference<Duration> last = new AtomicReference<>(lease.remaining());
		await().until(() -> {
			Duration remaining = lease.remaining();
			return remaining.compareTo(last.getAndSet(remaining)) > 0;
		});
	}

	/**
	 * Ends the lease of this thread's lock in the store.
	 */
	private void takeAway(String key) {
		DistributedLock lock = this.engine.get(key);
		assertThat(this.store.release(key, lock.lease().owner()).toCompletableFuture().join()).isTrue();
	}

	private static boolean tryInOtherThread(Lock lock) {
		return CompletableFuture.supplyAsync(lock::tryLock, new SimpleAsyncTaskExecutor()).join();
	}

}
