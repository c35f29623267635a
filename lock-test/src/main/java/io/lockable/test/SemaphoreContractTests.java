package io.lockable.test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.lockable.DistributedSemaphore;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.ReleaseMode;
import io.lockable.engine.ForcedRelease;
import io.lockable.engine.LockEngine;
import io.lockable.store.StoredLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a semaphore on any store that shares locks.
 *
 * @since 0.1.0
 */
public abstract class SemaphoreContractTests extends EngineContractTests {

	final DistributedSemaphore semaphore(LockEngine instance, int permits, LockOptions options) {
		return instance.getSemaphore(this.key, permits, options);
	}

	private Lease hold(LockEngine instance, int permits) {
		return semaphore(instance, permits, ONCE).tryAcquire().orElseThrow();
	}

	@Test
	void permitsAreSharedByAllInstances() {
		Lease first = hold(this.here, 2);
		Lease second = hold(this.there, 2);
		assertThat(semaphore(this.here, 2, ONCE).tryAcquire()).isEmpty();
		assertThat(semaphore(this.there, 2, ONCE).tryAcquire()).isEmpty();
		assertThat(this.there.get(this.key, ONCE).tryAcquire()).isEmpty();
		assertThat(first.key()).isEqualTo(this.key);
		assertThat(first.owner()).isNotEqualTo(second.owner());
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(first.release()).isTrue();
		assertThat(hold(this.there, 2).release()).isTrue();
		assertThat(second.isHeld()).isTrue();
		lastReleases(second);
	}

	@Test
	void threadMayHoldTwoPermitsAndReleasesEachOnce() {
		Lease first = hold(this.here, 2);
		Lease second = hold(this.here, 2);
		assertThat(semaphore(this.here, 2, ONCE).tryAcquire()).isEmpty();
		assertThat(first.release()).isTrue();
		assertThat(first.release()).isTrue();
		Lease third = hold(this.there, 2);
		assertThat(semaphore(this.there, 2, ONCE).tryAcquire()).isEmpty();
		lastReleases(second, third);
	}

	@Test
	void forcedReleaseEndsTheSharesOfAllAndServesAllWaiters() {
		canBeLookedAt();
		Lease here = hold(this.here, 2);
		Lease there = hold(this.there, 2);
		List<CompletableFuture<Lease>> waiting = List.of(semaphore(this.here, 2, PATIENT).acquireAsync(),
				semaphore(this.there, 2, PATIENT).acquireAsync());
		waiting.forEach(this::keepsWaiting);
		ForcedRelease forced = this.here.forceRelease(this.key);
		assertThat(forced.released()).extracting(StoredLock.Holder::owner)
			.containsExactlyInAnyOrder(here.owner(), there.owner());
		assertThat(lost(here).reason()).isEqualTo(LockLost.Reason.FORCED);
		assertThat(there.release()).isFalse();
		waiting.forEach((next) -> assertThat(soon(next).release()).isTrue());
		nobodyHolds();
	}

	@Test
	void waitersAreServedByArrivalOverAllInstances() {
		Lease current = hold(this.here, 1);
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			CompletableFuture<Lease> next = semaphore((i % 2 == 0) ? this.here : this.there, 1, PATIENT).acquireAsync();
			keepsWaiting(next);
			waiting.add(next);
		}
		for (int i = 0; i < 6; i++) {
			assertThat(waiting.subList(i, 6)).noneMatch(CompletableFuture::isDone);
			assertThat(current.release()).isTrue();
			current = soon(waiting.get(i));
		}
		lastReleases(current);
	}

	@Test
	void pipelinedReleaseFreesThePermit() {
		LockOptions pipelined = ONCE.withRelease(ReleaseMode.PIPELINED);
		assertThat(semaphore(this.here, 1, pipelined).tryAcquire()).map(Lease::release).contains(true);
		nobodyHolds();
	}

	@Test
	void neverMoreHoldersThanPermitsAndAllOfThemAreUsed() {
		int permits = 3;
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		work(12, 15, (instance, thread) -> {
			try (Lease lease = semaphore(instance, permits, PATIENT).acquire()) {
				most.accumulateAndGet(inside.incrementAndGet(), Math::max);
				assertThat(lease.isHeld()).isTrue();
				LockSupport.parkNanos(200_000);
				inside.decrementAndGet();
			}
		});
		assertThat(most.get()).as("most holders at once").isBetween(2, permits);
		nobodyHolds();
	}

}
