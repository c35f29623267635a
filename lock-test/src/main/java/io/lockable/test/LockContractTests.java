package io.lockable.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.ForcedRelease;
import io.lockable.engine.LockEngine;
import io.lockable.store.StoredLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract of the lock of one key on any store.
 *
 * @since 0.1.0
 */
// A failing test ends its threads and instances, and the locks with them.
@SuppressWarnings("LockNotBeforeTry")
public abstract class LockContractTests extends EngineContractTests {

	@Test
	void threadsOfTwoInstancesNeverHoldTheLockTogetherAndTheirTokensGrow() {
		AtomicInteger inside = new AtomicInteger();
		AtomicLong last = new AtomicLong();
		work(6, 40, (instance, thread) -> {
			try (Lease lease = instance.get(this.key, PATIENT).acquire()) {
				assertThat(inside.incrementAndGet()).isEqualTo(1);
				assertThat(last.getAndSet(lease.fencingToken())).isLessThan(lease.fencingToken());
				inside.decrementAndGet();
			}
		});
		nobodyHolds();
	}

	@Test
	void heldLockIsRefusedElsewhereAndFreeAfterTheRelease() {
		Lease lease = this.here.get(this.key, ONCE).tryAcquire().orElseThrow();
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.remaining()).isPositive().isLessThanOrEqualTo(ONCE.lease());
		assertThat(this.there.get(this.key, ONCE).tryAcquire()).isEmpty();
		assertThat(this.there.get(this.key).isLocked()).isTrue();
		assertThat(lease.release()).isTrue();
		assertThat(lease.release()).as("what the first release returned").isTrue();
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.there.get(this.key).isLocked()).isFalse();
		nobodyHolds();
	}

	@Test
	void waiterHasTheLockAfterTheReleaseOfAnotherInstance() {
		Lease held = this.here.get(this.key, ONCE).tryAcquire().orElseThrow();
		Future<Lease> waiting = onThread(() -> this.there.get(this.key, PATIENT).acquire());
		keepsWaiting(waiting);
		assertThat(held.release()).isTrue();
		Lease next = soon(waiting);
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		assertThat(this.here.get(this.key, ONCE).tryAcquire()).isEmpty();
		assertThat(next.release()).isTrue();
	}

	@Test
	void waitEndsInTimeAndIsContention() throws Exception {
		Lease held = this.here.get(this.key, ONCE).tryAcquire().orElseThrow();
		Duration wait = Duration.ofMillis(300);
		long start = System.nanoTime();
		assertThat(this.there.get(this.key, ONCE).tryAcquire(wait)).isEmpty();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(wait, wait.plusSeconds(5));
		DistributedLock waiting = this.there.get(this.key, ONCE.withWaitTime(wait));
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(waiting::acquire)
			.withMessageContaining(this.key);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> waiting.run(() -> {
		}));
		assertThat(failure(waiting.acquireAsync())).isInstanceOf(LockNotAcquiredException.class);
		assertThat(held.release()).isTrue();
	}

	@Test
	void holderThatLivesKeepsItsLockBeyondTheLease() {
		Duration lease = Duration.ofMillis(1500);
		Lease held = this.here.get(this.key, ONCE.withLease(lease)).tryAcquire().orElseThrow();
		Awaitility.await()
			.pollInterval(Duration.ofMillis(20))
			.during(lease.plusMillis(500))
			.atMost(lease.plus(SOON))
			.until(() -> this.there.get(this.key, ONCE).tryAcquire().isEmpty());
		assertThat(held.isHeld()).isTrue();
		assertThat(held.lost().toCompletableFuture()).isNotDone();
		assertThat(held.release()).isTrue();
	}

	@Test
	void lockThatNobodyRenewsEndsAndAWaiterHasIt() {
		Lease dying = this.here.get(this.key, DYING).tryAcquire().orElseThrow();
		Lease next = soon(onThread(() -> this.there.get(this.key, PATIENT).acquire()));
		assertThat(lost(dying).reason()).isEqualTo(LockLost.Reason.EXPIRED);
		assertThat(dying.isHeld()).isFalse();
		assertThat(dying.release()).isFalse();
		assertThat(next.isHeld()).isTrue();
		assertThat(next.fencingToken()).isGreaterThan(dying.fencingToken());
		assertThat(next.release()).isTrue();
	}

	@Test
	void extendedLeaseLivesLonger() {
		LockOptions unrenewed = ONCE.withRenewal(Renewal.OFF).withLease(Duration.ofSeconds(2));
		Lease held = this.here.get(this.key, unrenewed).tryAcquire().orElseThrow();
		assertThat(held.extend(Duration.ofSeconds(30))).isTrue();
		assertThat(held.remaining()).isGreaterThan(Duration.ofSeconds(20));
		lastReleases(held);
	}

	@Test
	void holderIsToldThatItsLockWasTakenAway() {
		LockOptions renewed = ONCE.withLease(Duration.ofMillis(900));
		DistributedLock lock = this.here.get(this.key, renewed);
		lock.lock();
		Lease held = lock.lease();
		takeAway(this.key, held.owner());
		Lease next = this.there.get(this.key, ONCE).tryAcquire().orElseThrow();
		assertThat(lost(held).key()).isEqualTo(this.key);
		assertThat(held.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThat(next.isHeld()).isTrue();
		assertThat(next.release()).as("untouched by the one before").isTrue();
	}

	@Test
	void lockReleasedByForceGoesToTheNextWaiterAndTheHolderIsToldAtOnce() {
		canBeLookedAt();
		Lease held = this.here.get(this.key, ONCE).tryAcquire().orElseThrow();
		Future<Lease> waiting = onThread(() -> this.there.get(this.key, PATIENT).acquire());
		keepsWaiting(waiting);
		ForcedRelease forced = this.here.forceRelease(this.key);
		assertThat(forced.released()).extracting(StoredLock.Holder::owner).containsExactly(held.owner());
		assertThat(forced.gone()).isEmpty();
		Lease next = soon(waiting);
		assertThat(lost(held).reason()).isEqualTo(LockLost.Reason.FORCED);
		assertThat(held.release()).isFalse();
		assertThat(this.there.look(this.key).holders()).extracting(StoredLock.Holder::owner)
			.containsExactly(next.owner());
		lastReleases(next);
	}

	@Test
	void forcedReleaseOfAFreeLockReleasesNothing() {
		canBeLookedAt();
		assertThat(this.here.look(this.key).isHeld()).isFalse();
		assertThat(this.here.forceRelease(this.key))
			.isEqualTo(new ForcedRelease(this.key, List.of(), List.of(), List.of()));
	}

	@Test
	void waiterThatIsInterruptedOrCancelledLeavesNothingBehind() {
		Lease held = this.here.get(this.key, ONCE).tryAcquire().orElseThrow();
		CompletableFuture<Lease> cancelled = this.there.get(this.key, PATIENT).acquireAsync();
		interrupted(() -> this.there.get(this.key, PATIENT).acquire(), () -> true);
		assertThat(cancelled.cancel(false)).isTrue();
		lastReleases(held);
	}

	@Test
	void asynchronousAcquirersGetTheLockOneAfterTheOther() {
		List<CompletableFuture<Boolean>> all = new ArrayList<>();
		AtomicInteger inside = new AtomicInteger();
		for (LockEngine instance : List.of(this.here, this.there, this.here)) {
			all.add(instance.get(this.key, PATIENT).acquireAsync().thenCompose((lease) -> {
				boolean alone = inside.incrementAndGet() == 1;
				inside.decrementAndGet();
				return lease.releaseAsync().thenApply((ours) -> ours && alone);
			}));
		}
		all.forEach((each) -> assertThat(each).succeedsWithin(SOON).isEqualTo(true));
		nobodyHolds();
	}

	@Test
	void instanceThatStopsGivesBackWhatItHoldsAndFailsItsWaiters() {
		LockEngine stopping = startInstance();
		Lease held = stopping.get(this.key, ONCE).tryAcquire().orElseThrow();
		CompletableFuture<Lease> waiting = stopping.get(this.key, PATIENT).acquireAsync();
		stopping.close();
		assertThat(failure(waiting)).isInstanceOf(LockException.class);
		assertThat(held.isHeld()).isFalse();
		assertThat(this.there.get(this.key, ONCE).tryAcquire().orElseThrow().release()).isTrue();
	}

}
