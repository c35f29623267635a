package io.lockable.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockKeyException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract of a lock of several keys on any store.
 *
 * @since 0.1.0
 */
// A failing test ends its threads and instances, and the locks with them.
@SuppressWarnings("LockNotBeforeTry")
public abstract class SeveralKeysContractTests extends EngineContractTests {

	private final String a = this.key + ":a";

	private final String b = this.key + ":b";

	private final String c = this.key + ":c";

	private DistributedLock all(LockEngine instance, LockOptions options) {
		return instance.getAll(List.of(this.b, this.c, this.a, this.b), options);
	}

	private Lease hold(String name) {
		return this.there.get(name, ONCE).tryAcquire().orElseThrow();
	}

	@Override
	void nobodyHolds() {
		List.of(this.a, this.b, this.c).forEach((name) -> isFree(this.there.get(name, ONCE)));
	}

	@Test
	void allKeysAreHeldUntilTheRelease() {
		Lease lease = all(this.here, ONCE).tryAcquire().orElseThrow();
		assertThat(lease.key()).isEqualTo(this.a + "," + this.b + "," + this.c);
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.remaining()).isPositive().isLessThanOrEqualTo(ONCE.lease());
		for (String name : List.of(this.a, this.b, this.c)) {
			assertThat(this.there.get(name, ONCE).tryAcquire()).isEmpty();
		}
		assertThat(lease.release()).isTrue();
		assertThat(lease.release()).isTrue();
		assertThat(lease.isHeld()).isFalse();
		nobodyHolds();
	}

	@Test
	void tryWhenTheLastKeyIsHeldByOtherLeavesNothingBehind() {
		Lease other = hold(this.c);
		assertThat(all(this.here, PATIENT).tryAcquire()).isEmpty();
		assertThat(all(this.here, PATIENT).tryLock()).isFalse();
		assertThat(all(this.here, ONCE).isLocked()).isTrue();
		assertThat(this.here.get(this.a).isHeldByCurrentThread()).isFalse();
		lastReleases(other);
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
	void interruptWhileALaterKeyIsWaitedForGivesBackTheEarlierOnes() {
		Lease other = hold(this.c);
		interrupted(all(this.here, PATIENT)::acquire, this.there.get(this.b)::isLocked);
		lastReleases(other);
	}

	@Test
	void orderOfTheKeysDoesNotMatter() {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger contended = new AtomicInteger();
		work(8, 25, (instance, thread) -> {
			List<String> keys = (thread % 4 < 2) ? List.of(this.a, this.b) : List.of(this.b, this.a);
			DistributedLock lock = instance.getAll(keys, PATIENT);
			if (!lock.tryLock()) {
				contended.incrementAndGet();
				lock.lockInterruptibly();
			}
			assertThat(inside.incrementAndGet()).isEqualTo(1);
			inside.decrementAndGet();
			lock.unlock();
		});
		assertThat(contended.get()).as("acquisitions that had to wait").isPositive();
		nobodyHolds();
	}

	@Test
	void everyKeyHasAFencingTokenThatGrows() {
		Lease before = hold(this.a);
		assertThat(before.release()).isTrue();
		Lease lease = all(this.here, ONCE).tryAcquire().orElseThrow();
		List<Long> tokens = new ArrayList<>();
		for (String name : List.of(this.a, this.b, this.c)) {
			tokens.add(lease.fencingToken(name));
		}
		assertThat(lease.fencingToken(this.a)).isGreaterThan(before.fencingToken());
		assertThat(lease.fencingToken()).isEqualTo(tokens.stream().max(Long::compare).orElseThrow());
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> lease.fencingToken("other"))
			.withMessageContaining(lease.key());
		assertThat(lease.release()).isTrue();
		assertThat(hold(this.a).fencingToken()).isGreaterThan(lease.fencingToken(this.a));
		assertThat(before.fencingToken(this.a)).isEqualTo(before.fencingToken());
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> before.fencingToken(this.b));
	}

	@Test
	void leaseIsLostWhenOneKeyIs() {
		Lease lease = all(this.here, ONCE).tryAcquire().orElseThrow();
		takeAway(this.b, lease.owner().split(",", -1)[1]);
		assertThat(lease.extend(Duration.ofSeconds(60))).isFalse();
		assertThat(lost(lease).key()).isEqualTo(this.b);
		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.remaining()).isZero();
		Lease next = hold(this.b);
		assertThat(lease.release()).as("all were ours to the end").isFalse();
		assertThat(next.extend(Duration.ofSeconds(60))).isTrue();
		lastReleases(next);
	}

	@Test
	void releaseThatFindsOneKeyLostFreesTheOthers() {
		Lease lease = all(this.here, ONCE).tryAcquire().orElseThrow();
		takeAway(this.c, lease.owner().split(",", -1)[2]);
		assertThat(lease.release()).isFalse();
		nobodyHolds();
	}

	@Test
	void extendProlongsAll() {
		Lease lease = all(this.here, DYING.withWaitTime(Duration.ZERO)).tryAcquire().orElseThrow();
		assertThat(lease.extend(Duration.ofSeconds(60))).isTrue();
		assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(50));
		assertThat(lease.release()).isTrue();
	}

	@Test
	void leasesOfAllKeysAreRenewed() {
		Lease lease = all(this.here, ONCE.withLease(Duration.ofMillis(600))).tryAcquire().orElseThrow();
		CompletableFuture<?> lost = lease.lost().toCompletableFuture();
		assertThat(lost.completeOnTimeout(null, 1500, TimeUnit.MILLISECONDS).join()).isNull();
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.release()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void leaseThatEndedWhileALaterKeyWasWaitedForIsTakenAnew(boolean async) {
		Lease other = hold(this.c);
		DistributedLock lock = all(this.here, DYING);
		Future<Lease> waiting = async ? lock.acquireAsync() : onThread(lock::acquire);
		soonTrue(() -> this.there.get(this.b).isLocked());
		soonTrue(() -> !this.there.get(this.b).isLocked());
		assertThat(other.release()).isTrue();
		Lease lease = soon(waiting);
		assertThat(lease.isHeld()).as("all keys, although the first had ended").isTrue();
		lastReleases(lease);
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
	void cancelledAsyncAcquisitionGivesBackWhatItHas() {
		Lease other = hold(this.c);
		CompletableFuture<Lease> waiting = all(this.here, PATIENT).acquireAsync();
		soonTrue(() -> this.there.get(this.b).isLocked());
		assertThat(waiting.cancel(true)).isTrue();
		isFree(this.there.get(this.a, ONCE));
		isFree(this.there.get(this.b, ONCE));
		lastReleases(other);
	}

	@Test
	void asyncAcquisitionCancelledAtAnyMomentGivesBackWhatItHas() {
		CountDownLatch rounds = new CountDownLatch(50);
		while (rounds.getCount() > 0) {
			CompletableFuture<Lease> waiting = all(this.here, PATIENT).acquireAsync();
			long until = System.nanoTime() + rounds.getCount() * 20_000;
			while (System.nanoTime() < until) {
				Thread.onSpinWait();
			}
			if (!waiting.cancel(true)) {
				soon(waiting).close();
			}
			rounds.countDown();
		}
		nobodyHolds();
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
