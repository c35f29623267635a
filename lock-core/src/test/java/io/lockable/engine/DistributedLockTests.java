package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockKeyException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * Tests for {@link DistributedLock} as a lock of a thread, and as a source of leases.
 */
// An unlock in a finally block would hide the behavior under test.
@SuppressWarnings("LockNotBeforeTry")
class DistributedLockTests {

	private static final LockOptions OPTIONS = LockOptions.defaults().withLease(Duration.ofSeconds(9));

	private final TestClock clock = new TestClock();

	private final LockEngine engine = LockEngine.builder(new InMemoryLockStore(this.clock))
		.clock(this.clock)
		.defaults(OPTIONS)
		.build();

	private final DistributedLock lock = this.engine.get("k");

	@AfterEach
	void close() {
		this.lock.tryLock();
		while (this.lock.holdCount() > 0) {
			this.lock.unlock();
		}
		assertThat(this.engine.shells().isIdle()).isTrue();
		this.engine.close();
	}

	@Test
	void lockIsHeldByTheThreadUntilItUnlocks() {
		this.lock.lock();
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		assertThat(this.lock.isLocked()).isTrue();
		assertThat(this.lock.holdCount()).isOne();
		this.lock.unlock();
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.lock.isLocked()).isFalse();
		assertThat(this.lock.holdCount()).isZero();
	}

	@Test
	void handleForTheThreadThatHoldsTheLockIsRefusedAtOnce() throws Exception {
		DistributedReadWriteLock sides = this.engine.getReadWriteLock("k", OPTIONS.withWaitTime(Duration.ofHours(1)));
		DistributedLock all = this.engine.getAll(List.of("k", "l"), OPTIONS.withWaitTime(Duration.ofHours(1)));
		sides.writeLock().lock();
		for (DistributedLock waiting : List.of(sides.writeLock(), sides.readLock(), all)) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(waiting::acquire)
				.withMessageContaining("this thread holds it already");
			assertThat(waiting.tryAcquire(Duration.ofHours(1))).isEmpty();
			assertThat(waiting.tryAcquire()).isEmpty();
		}
		sides.writeLock().unlock();
		sides.readLock().lock();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(sides.writeLock()::acquire);
		assertThat(sides.writeLock().tryAcquire()).isEmpty();
		assertThat(sides.readLock().acquire().release()).as("a share of its own").isTrue();
		sides.readLock().unlock();
		assertThat(all.acquire().release()).isTrue();
	}

	@Test
	void everyWayIntoTheLockIsReentrant() throws Exception {
		this.lock.lock();
		this.lock.lockInterruptibly();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.lock.tryLock(0, TimeUnit.SECONDS)).isTrue();
		assertThat(this.lock.tryLock(-1, TimeUnit.DAYS)).isTrue();
		assertThat(this.lock.holdCount()).isEqualTo(5);
		assertThat(this.lock.<Integer>call(this.lock::holdCount)).isEqualTo(6);
		this.lock.run(() -> assertThat(this.lock.holdCount()).isEqualTo(6));
		for (int i = 5; i > 0; i--) {
			assertThat(this.lock.isLocked()).isTrue();
			this.lock.unlock();
		}
		assertThat(this.lock.isLocked()).isFalse();
	}

	@Test
	void reentryIsOfTheKeyAndNotOfTheObject() {
		this.lock.lock();
		DistributedLock same = this.engine.get("k", OPTIONS.withLease(Duration.ofMinutes(1)));
		assertThat(same.tryLock()).isTrue();
		assertThat(this.lock.holdCount()).isEqualTo(2);
		same.unlock();
		assertThat(this.engine.get("other").holdCount()).isZero();
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		this.lock.unlock();
	}

	@Test
	void otherThreadNeitherEntersNorUnlocks() {
		this.lock.lock();
		CompletableFuture<Void> other = OwnThread.run(() -> {
			assertThat(this.lock.tryLock()).isFalse();
			assertThat(this.lock.isHeldByCurrentThread()).isFalse();
			assertThat(this.lock.holdCount()).isZero();
			assertThat(this.lock.isLocked()).isTrue();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock)
				.withMessageContaining("'k'");
		});
		ScriptedInstance.get(other);
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
	}

	@Test
	void tryLockWaitsForTheHolder() throws Exception {
		CompletableFuture<Boolean> entered = new CompletableFuture<>();
		this.lock.lock();
		Thread thread = new Thread(() -> {
			try {
				entered.complete(this.lock.tryLock(1, TimeUnit.MINUTES));
				this.lock.unlock();
			}
			catch (InterruptedException ex) {
				entered.completeExceptionally(ex);
			}
		});
		thread.start();
		assertThat(entered).isNotDone();
		this.lock.unlock();
		assertThat(ScriptedInstance.get(entered)).isTrue();
		thread.join();
	}

	@Test
	void tryLockReturnsFalseWhenTheWaitIsOver() throws Exception {
		Lease lease = this.lock.acquire();
		assertThat(this.lock.tryLock(5, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(this.lock.tryAcquire(Duration.ofMillis(5))).isEmpty();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(this.engine.get("k", OPTIONS.withWaitTime(Duration.ofMillis(5)))::acquire)
			.withMessageContaining("'k'")
			.withMessageContaining("5ms");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.lock::acquire)
			.withMessage("Lock 'k' is held by another owner");
		lease.close();
	}

	@Test
	void leaseIsNotReentrant() {
		Lease lease = this.lock.tryAcquire().orElseThrow();
		assertThat(this.lock.tryAcquire()).isEmpty();
		assertThat(this.lock.tryLock()).isFalse();
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		lease.close();
	}

	@Test
	void leaseMayBeClosedByAnotherThread() {
		Lease lease = this.lock.tryAcquire().orElseThrow();
		assertThat(ScriptedInstance.get(OwnThread.supply(lease::release))).isTrue();
		assertThat(this.lock.isLocked()).isFalse();
	}

	@Test
	void conditionsAreNotSupported() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition);
	}

	@Test
	void negativeWaitIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.lock.tryAcquire(Duration.ofNanos(-1)))
			.withMessageContaining("'waitTime' must not be negative, was -0.000001ms");
	}

	@Test
	void blankKeyIsRefused() {
		for (String key : List.of("", " ", "\t\n")) {
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> this.engine.get(key))
				.withMessageContaining("'key' must not be blank");
		}
	}

	@Test
	void nullsAreRefused() {
		assertThatNullPointerException().isThrownBy(() -> this.engine.get(null)).withMessageContaining("'key'");
		assertThatNullPointerException().isThrownBy(() -> this.engine.get("k", null))
			.withMessageContaining("'options'");
		assertThatNullPointerException().isThrownBy(() -> this.lock.run(null)).withMessageContaining("'body'");
		assertThatNullPointerException().isThrownBy(() -> this.lock.call(null)).withMessageContaining("'body'");
	}

	@Test
	void lockTellsItsKey() {
		assertThat(this.lock.key()).isEqualTo("k");
		assertThat(this.lock).hasToString("DistributedLock[k]");
		Optional<Lease> lease = this.lock.tryAcquire();
		assertThat(lease).map(Lease::key).contains("k");
		lease.get().close();
	}

	@Test
	void builderRefusesWhatMakesNoSense() {
		LockEngine.Builder builder = LockEngine.builder(new InMemoryLockStore());
		assertThatIllegalArgumentException().isThrownBy(() -> builder.commandTimeout(Duration.ZERO))
			.withMessage("'commandTimeout' must be positive, was 0s");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.shutdownTimeout(Duration.ofMillis(-1)))
			.withMessage("'shutdownTimeout' must not be negative, was -1ms");
		assertThatNullPointerException().isThrownBy(() -> builder.listener(null));
		assertThatNullPointerException().isThrownBy(() -> LockEngine.builder(null));
	}

}
