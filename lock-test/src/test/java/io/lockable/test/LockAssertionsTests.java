package io.lockable.test;

import java.time.Duration;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.lockable.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockAssertions}: their failures and messages.
 */
@SuppressWarnings("LockNotBeforeTry")
class LockAssertionsTests {

	private final LockTestClock clock = new LockTestClock();

	private final LockFaults faults = new LockFaults();

	private final LockEngine engine = LockEngine.builder(this.faults.wrap(new InMemoryLockStore(this.clock)))
		.runtime(this.clock)
		.shutdownTimeout(Duration.ZERO)
		.build();

	private final DistributedLock lock = this.engine.get("k");

	@AfterEach
	void close() {
		this.engine.close();
	}

	private static void fails(ThrowingCallable assertion, String message) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(assertion).withMessage(message);
	}

	@Test
	void freeLock() {
		assertThat(this.lock).isFree().isNotHeldByCurrentThread().hasHoldCount(0);
		fails(() -> assertThat(this.lock).isLocked(), "Expected lock 'k' to be held by an owner, but it is free");
		fails(() -> assertThat(this.lock).isHeldByCurrentThread(),
				"Expected lock 'k' to be held by thread 'main', but it is free");
		fails(() -> assertThat(this.lock).hasHoldCount(1),
				"Expected lock 'k' to be held 1 times by thread 'main', but it is held 0 times");
	}

	@Test
	void lockOfThisThread() {
		this.lock.lock();
		assertThat(this.lock).isLocked().isHeldByCurrentThread().hasHoldCount(1);
		fails(() -> assertThat(this.lock).isFree(), "Expected lock 'k' to be free, but it is held by this thread");
		fails(() -> assertThat(this.lock).isNotHeldByCurrentThread(),
				"Expected lock 'k' not to be held by thread 'main', but it is, 1 times");
	}

	@Test
	void lockOfAnother() {
		this.faults.hold("k");
		fails(() -> assertThat(this.lock).isFree(), "Expected lock 'k' to be free, but it is held by another owner");
		fails(() -> assertThat(this.lock).isHeldByCurrentThread(),
				"Expected lock 'k' to be held by thread 'main', but it is held by another thread, by a Lease or by another instance");
	}

	@Test
	void lostLockOfThisThread() {
		this.faults.watch(this.engine);
		this.lock.lock();
		this.faults.lose("k");
		fails(() -> assertThat(this.lock).isHeldByCurrentThread(),
				"Expected lock 'k' to be held by thread 'main', but its lease is lost");
	}

	@Test
	void heldLease() {
		Lease lease = this.lock.tryAcquire().orElseThrow();
		assertThat(lease).isHeld().hasAtLeast(Duration.ofSeconds(9)).hasFencingTokenGreaterThan(0);
		fails(() -> assertThat(lease).isNotHeld(),
				"Expected the lease of lock 'k' not to be held, but it is held, for another 9898ms without renewal");
		fails(() -> assertThat(lease).isLost(),
				"Expected the lease of lock 'k' to be lost, but it is held, for another 9898ms without renewal");
		fails(() -> assertThat(lease).hasAtLeast(Duration.ofSeconds(10)),
				"Expected the lease of lock 'k' to live at least 10s, but it is held, for another 9898ms without renewal");
		fails(() -> assertThat(lease).hasFencingTokenGreaterThan(lease.fencingToken()),
				"Expected the lease of lock 'k' to have a fencing token greater than %1$d, but it is %1$d"
					.formatted(lease.fencingToken()));
	}

	@Test
	void lostLease() {
		this.faults.watch(this.engine);
		Lease lease = this.lock.tryAcquire().orElseThrow();
		this.faults.lose("k");
		assertThat(lease).isNotHeld().isLost().isLostBecause(LockLost.Reason.NOT_OWNED);
		fails(() -> assertThat(lease).isHeld(),
				"Expected the lease of lock 'k' to be held, but it is lost, with reason NOT_OWNED");
		fails(() -> assertThat(lease).isLostBecause(LockLost.Reason.EXPIRED),
				"Expected the lease of lock 'k' to be lost with reason EXPIRED, but the reason is NOT_OWNED");
	}

	@Test
	void releasedLease() {
		Lease lease = this.lock.tryAcquire().orElseThrow();
		lease.close();
		assertThat(lease).isNotHeld();
		fails(() -> assertThat(lease).isLost(),
				"Expected the lease of lock 'k' to be lost, but it was released, or its loss was not reported yet");
	}

	@Test
	void leasesOfDifferentKeys() {
		Lease lease = this.lock.tryAcquire().orElseThrow();
		Lease other = this.engine.get("other").tryAcquire().orElseThrow();
		fails(() -> assertThat(other).hasFencingTokenGreaterThan(lease),
				"Fencing tokens compare within one key only, but the leases are of 'other' and 'k'");
	}

	@Test
	void nothing() {
		DistributedLock none = null;
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(none).isFree())
			.withMessageContaining("not to be null");
	}

}
