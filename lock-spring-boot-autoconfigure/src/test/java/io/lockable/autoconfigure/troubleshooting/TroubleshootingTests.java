package io.lockable.autoconfigure.troubleshooting;

import java.time.Duration;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockException;
import io.lockable.LockKeyException;
import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockUpgradeException;
import io.lockable.Renewal;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import io.lockable.test.LockFaults;
import io.lockable.test.LockTestClock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Provokes messages of {@code docs/troubleshooting.md} with locks in memory, on a test
 * clock.
 */
@ExtendWith(OutputCaptureExtension.class)
class TroubleshootingTests {

	private static final String KEY = "order:42";

	private static final LockOptions OPTIONS = LockOptions.defaults().withName("orders");

	private final TroubleshootingPage page = new TroubleshootingPage();

	private final LockTestClock clock = new LockTestClock();

	private final LockFaults faults = new LockFaults();

	private final InMemoryLockStore store = new InMemoryLockStore(this.clock);

	private final LockEngine engine = LockEngine.builder(this.faults.wrap(this.store))
		.runtime(this.clock)
		.shutdownTimeout(Duration.ZERO)
		.listener(TroubleshootingTests::fail)
		.build();

	@BeforeEach
	void watch() {
		this.faults.watch(this.engine);
	}

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	void heldLockIsRefused() {
		this.faults.hold(KEY);
		this.clock.skipWaits();
		assertThrown("Another owner holds the lock", LockNotAcquiredException.class, get(OPTIONS)::acquire);
		assertThrown("Another owner holds the lock", LockNotAcquiredException.class,
				get(OPTIONS.withWaitTime(Duration.ofSeconds(5)))::acquire);
	}

	@Test
	void threadThatHoldsTheLockIsRefused() {
		DistributedLock lock = get(OPTIONS);
		lock.lock();
		assertThrown("The thread already holds the lock", LockNotAcquiredException.class, lock::acquire);
		lock.unlock();
	}

	@Test
	void readerIsRefusedTheWriteLock() {
		DistributedReadWriteLock locks = this.engine.getReadWriteLock(KEY, OPTIONS);
		locks.readLock().lock();
		assertThrown("A read lock cannot become a write lock", LockUpgradeException.class, locks.writeLock()::lock);
		locks.readLock().unlock();
	}

	@Test
	void interruptedThreadIsRefused() {
		DistributedLock lock = get(OPTIONS.withWaitTime(Duration.ofMinutes(1)));
		this.faults.hold(KEY);
		Thread.currentThread().interrupt();
		assertThrown("A waiting thread is interrupted", LockException.class, () -> lock.run(() -> {
		}));
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void blankKeyIsRefused() {
		assertThrown("The key has no text", LockKeyException.class, () -> this.engine.get(" "));
	}

	@Test
	void leaseExpiresWithoutRenewal(CapturedOutput output) {
		DistributedLock lock = get(OPTIONS.withRenewal(Renewal.OFF));
		lock.lock();
		this.clock.advance(Duration.ofMinutes(1));
		this.page.assertShown("The lease expired", output);
		lock.lock();
		this.page.assertShown("A lost lock is acquired again", output);
		lock.unlock();
		assertThrown("A call fails because its lock is lost", LockLostException.class, lock::unlock);
	}

	@Test
	void leaseExpiresWhenItsRenewalsFail(CapturedOutput output) {
		Lease lease = get(OPTIONS).tryAcquire().orElseThrow();
		this.faults.fail(LockFaults.Command.EXTEND);
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(lease.isHeld()).isFalse();
		this.page.assertShown("The lease expired", output);
	}

	@Test
	void keyDisappears(CapturedOutput output) {
		assertThat(get(OPTIONS).tryAcquire()).isPresent();
		this.faults.lose(KEY);
		this.page.assertShown("The key is gone from Redis", output);
	}

	@Test
	void maxHoldEnds(CapturedOutput output) {
		assertThat(get(OPTIONS.withMaxHold(Duration.ofSeconds(30))).tryAcquire()).isPresent();
		this.clock.advance(Duration.ofMinutes(1));
		this.page.assertShown("The lock reached maxHold", output);
	}

	@Test
	void lockIsReleasedByForce(CapturedOutput output) {
		assertThat(get(OPTIONS).tryAcquire()).isPresent();
		this.engine.forceRelease(KEY);
		await().atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> this.page.assertShown("The lock was released by force", output));
	}

	@Test
	void threadWithoutTheLockUnlocks() {
		assertThrown("The thread does not hold the lock", IllegalMonitorStateException.class, get(OPTIONS)::unlock);
		assertThrown("The thread does not hold the lock", IllegalMonitorStateException.class,
				this.engine.getReadWriteLock(KEY, OPTIONS).readLock()::unlock);
	}

	@Test
	void releaseFails(CapturedOutput output) {
		DistributedLock lock = get(OPTIONS);
		lock.lock();
		this.faults.fail(LockFaults.Command.RELEASE);
		lock.unlock();
		this.page.assertShown("Redis fails during the release", output);
	}

	@Test
	void engineShutsDown(CapturedOutput output) {
		assertThat(get(OPTIONS).tryAcquire()).isPresent();
		this.engine.close();
		assertThrown("The application shuts down", LockException.class, get(OPTIONS)::acquire);
		this.page.assertShown("The application shuts down", output);
		assertThat(output).contains("is lost: the application stopped before the release");
	}

	@Test
	void listenerFails(CapturedOutput output) {
		assertThat(this.engine.get("failing").tryAcquire()).isPresent();
		this.faults.lose("failing");
		await().atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> this.page.assertShown("A listener is slow or fails", output));
	}

	private static void fail(LockEvent event) {
		if (event.key().equals("failing")) {
			throw new IllegalStateException("The listener fails");
		}
	}

	private DistributedLock get(LockOptions options) {
		return this.engine.get(KEY, options);
	}

	private void assertThrown(String heading, Class<? extends Throwable> type, ThrowingCallable call) {
		Throwable failure = catchThrowableOfType(type, call);
		assertThat(failure).isNotNull();
		this.page.assertShown(heading, String.valueOf(failure.getMessage()));
	}

}
