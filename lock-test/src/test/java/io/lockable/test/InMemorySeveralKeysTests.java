package io.lockable.test;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockKeyException;
import io.lockable.LockNotAcquiredException;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link InMemoryLockStore}, against {@link SeveralKeysContractTests}, and for
 * what the engine decides alone.
 */
class InMemorySeveralKeysTests extends SeveralKeysContractTests {

	private final InMemoryLockStore first = new InMemoryLockStore();

	@Override
	protected LockStore createStore() {
		return this.first.peer();
	}

	@Test
	void waitIsOneForAllKeys() throws Exception {
		Lease first = hold(this.b);
		Lease second = hold(this.c);
		Duration wait = Duration.ofMillis(1200);
		long before = System.nanoTime();
		Future<Long> waited = onThread(() -> {
			long start = System.nanoTime();
			assertThat(all(this.here, ONCE).tryAcquire(wait)).isEmpty();
			return System.nanoTime() - start;
		});
		Awaitility.await()
			.pollInterval(Duration.ofMillis(10))
			.until(() -> System.nanoTime() - before > wait.dividedBy(4).multipliedBy(3).toNanos());
		Duration passed = Duration.ofNanos(System.nanoTime() - before);
		assertThat(first.release()).isTrue();
		// A wait that restarts for the second key would end after that.
		assertThat(Duration.ofNanos(soon(waited))).isBetween(wait, wait.plus(passed));
		lastReleases(second);
	}

	@Test
	void acquireFailsWithTheNameOfAllKeysWhenTheWaitIsOver() {
		Lease other = hold(this.b);
		DistributedLock lock = all(this.here, ONCE.withWaitTime(Duration.ofMillis(50)));
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(lock::acquire)
			.withMessageContaining(lock.key());
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> lock.run(() -> {
		}));
		assertThat(failure(lock.acquireAsync())).isInstanceOf(LockNotAcquiredException.class)
			.hasMessageContaining(lock.key());
		lastReleases(other);
	}

	@Test
	void interruptedThreadTakesNothing() {
		DistributedLock lock = all(this.here, PATIENT);
		Future<Boolean> interrupted = onThread(() -> {
			for (ThrowingCallable call : List.<ThrowingCallable>of(lock::acquire, () -> lock.tryAcquire(SOON),
					() -> lock.tryLock(1, TimeUnit.SECONDS))) {
				Thread.currentThread().interrupt();
				assertThatExceptionOfType(InterruptedException.class).isThrownBy(call);
			}
			return true;
		});
		assertThat(soon(interrupted)).isTrue();
		nobodyHolds();
	}

	@Test
	void threadMayEnterAllAndEachOfThemAgain() throws Exception {
		DistributedLock lock = all(this.here, PATIENT);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		soon(onThread(() -> lock.call(() -> {
			assertThat(lock.isHeldByCurrentThread()).isTrue();
			lock.lock();
			assertThat(lock.holdCount()).isEqualTo(2);
			this.here.get(this.b, PATIENT).run(() -> assertThat(this.here.get(this.b).holdCount()).isEqualTo(3));
			lock.unlock();
			assertThat(this.there.get(this.a, ONCE).tryAcquire()).isEmpty();
			return true;
		})));
		assertThat(lock.holdCount()).isZero();
		nobodyHolds();
	}

	@Test
	void keyThatTheThreadHeldBeforeIsKept() {
		soon(onThread(() -> {
			this.here.get(this.b, PATIENT).lock();
			all(this.here, PATIENT).run(() -> assertThat(this.here.get(this.b).holdCount()).isEqualTo(2));
			assertThat(this.there.get(this.b, ONCE).tryAcquire()).isEmpty();
			assertThat(this.there.get(this.a, ONCE).tryAcquire()).map(Lease::release).contains(true);
			this.here.get(this.b, PATIENT).unlock();
			return true;
		}));
		nobodyHolds();
	}

	@Test
	void keysTakenInVainAreNotKept() {
		Lease other = hold(this.c);
		DistributedLock keeping = all(this.here, ONCE.withMinHold(Duration.ofSeconds(30)));
		assertThat(keeping.tryAcquire()).isEmpty();
		assertThat(keeping.tryLock()).isFalse();
		assertThat(keeping.acquireAsync()).failsWithin(SOON);
		isFree(this.there.get(this.a, ONCE));
		isFree(this.there.get(this.b, ONCE));
		lastReleases(other);
	}

	@Test
	void lockOfSeveralKeysNeedsKeys() {
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> this.here.getAll(List.of(), ONCE))
			.withMessageContaining("'keys'");
		assertThatExceptionOfType(LockKeyException.class)
			.isThrownBy(() -> this.here.getAll(List.of(this.a, " "), ONCE));
		assertThatExceptionOfType(NullPointerException.class)
			.isThrownBy(() -> this.here.getAll(Collections.singletonList(null), ONCE))
			.withMessageContaining("'key'");
	}

	@Test
	void oneKeyIsTheLockOfThatKey() {
		DistributedLock lock = this.here.getAll(List.of(this.a, this.a), ONCE);
		Optional<Lease> lease = lock.tryAcquire();
		assertThat(lock.key()).isEqualTo(this.a);
		assertThat(lease).map(Lease::key).contains(this.a);
		assertThat(lease).map(Lease::release).contains(true);
	}

}
