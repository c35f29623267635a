package io.lockable.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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
import io.lockable.store.RemoteHolder;
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

	private static final int THREADS = 3;

	private static final int ROUNDS = 40;

	@Test
	void threadsOfTwoInstancesNeverHoldTheLockTogetherAndTheirTokensGrow() {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		AtomicLong last = new AtomicLong();
		AtomicInteger stale = new AtomicInteger();
		List<Future<Boolean>> all = new ArrayList<>();
		for (LockEngine instance : List.of(this.here, this.there)) {
			DistributedLock lock = instance.get(this.key, PATIENT);
			for (int i = 0; i < THREADS; i++) {
				all.add(onThread(() -> {
					for (int round = 0; round < ROUNDS; round++) {
						try (Lease lease = lock.acquire()) {
							overlaps.addAndGet((inside.incrementAndGet() > 1) ? 1 : 0);
							stale.addAndGet((last.getAndSet(lease.fencingToken()) >= lease.fencingToken()) ? 1 : 0);
							inside.decrementAndGet();
						}
					}
					return true;
				}));
			}
		}
		all.forEach((each) -> assertThat(finished(each)).isTrue());
		assertThat(overlaps).hasValue(0);
		assertThat(stale).hasValue(0);
		isFree(this.there.get(this.key, ONCE));
	}

	private static boolean finished(Future<Boolean> future) {
		try {
			return future.get(60, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
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
		isFree(this.there.get(this.key, ONCE));
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
	void threadEntersItsLockAgainAndFreesItWithTheLastUnlock() {
		DistributedLock lock = this.here.get(this.key, ONCE);
		lock.lock();
		lock.run(() -> assertThat(lock.holdCount()).isEqualTo(2));
		assertThat(this.there.get(this.key, ONCE).tryAcquire()).isEmpty();
		Future<Boolean> other = onThread(lock::tryLock);
		assertThat(soon(other)).as("another thread").isFalse();
		lock.unlock();
		assertThat(lock.isHeldByCurrentThread()).isFalse();
		isFree(this.there.get(this.key, ONCE));
	}

	@Test
	void holderThatLivesKeepsItsLockBeyondTheLease() {
		Duration lease = Duration.ofMillis(600);
		Lease held = this.here.get(this.key, ONCE.withLease(lease)).tryAcquire().orElseThrow();
		Awaitility.await()
			.pollInterval(Duration.ofMillis(20))
			.during(lease.multipliedBy(3))
			.atMost(lease.multipliedBy(3).plus(SOON))
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
		assertThat(held.release()).isTrue();
		isFree(this.there.get(this.key, ONCE));
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
	void nestedCallWithALongerLeaseKeepsOthersOut() {
		DistributedLock outer = this.here.get(this.key, DYING);
		DistributedLock nested = this.here.get(this.key, DYING.withLease(Duration.ofSeconds(30)));
		outer.run(() -> nested.run(() -> {
			Duration beyond = DYING.lease().multipliedBy(2);
			assertThat(soon(onThread(() -> this.there.get(this.key, ONCE).tryAcquire(beyond)))).isEmpty();
			assertThat(nested.isHeldByCurrentThread()).isTrue();
			assertThat(nested.lease().remaining()).isGreaterThan(Duration.ofSeconds(10));
		}));
		isFree(this.there.get(this.key, ONCE));
	}

	@Test
	void threadThatLostItsLockAcquiresItAnew() {
		DistributedLock lock = this.here.get(this.key, DYING);
		lock.lock();
		Lease lost = lock.lease();
		soonTrue(() -> !lost.isHeld());
		DistributedLock again = this.here.get(this.key, PATIENT);
		again.lock();
		assertThat(again.isHeldByCurrentThread()).isTrue();
		assertThat(again.lease().fencingToken()).isGreaterThan(lost.fencingToken());
		assertThat(this.there.get(this.key, ONCE).tryLock()).isFalse();
		again.unlock();
		isFree(this.there.get(this.key, ONCE));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThat(lock.holdCount()).isZero();
	}

	@Test
	void lockReleasedByForceGoesToTheNextWaiterAndTheHolderIsToldAtOnce() {
		canBeLookedAt();
		Lease held = this.here.get(this.key, ONCE).tryAcquire().orElseThrow();
		Future<Lease> waiting = onThread(() -> this.there.get(this.key, PATIENT).acquire());
		keepsWaiting(waiting);
		ForcedRelease forced = this.here.forceRelease(this.key);
		assertThat(forced.released()).extracting(RemoteHolder::owner).containsExactly(held.owner());
		assertThat(forced.gone()).isEmpty();
		Lease next = soon(waiting);
		assertThat(lost(held).reason()).isEqualTo(LockLost.Reason.FORCED);
		assertThat(held.release()).isFalse();
		assertThat(this.there.look(this.key).holders()).extracting(RemoteHolder::owner).containsExactly(next.owner());
		assertThat(next.release()).as("untouched by the one before").isTrue();
		isFree(this.here.get(this.key, ONCE));
	}

	@Test
	void holderOfAnotherInstanceLearnsOfAForcedReleaseWhenItRenews() {
		canBeLookedAt();
		Lease held = this.here.get(this.key, ONCE.withLease(Duration.ofMillis(900))).tryAcquire().orElseThrow();
		assertThat(this.there.forceRelease(this.key).released()).hasSize(1);
		Lease next = this.there.get(this.key, ONCE).tryAcquire().orElseThrow();
		assertThat(lost(held).reason()).isEqualTo(LockLost.Reason.NOT_OWNED);
		assertThat(next.release()).as("untouched by the one before").isTrue();
	}

	@Test
	void forcedReleaseOfAFreeLockReleasesNothing() {
		canBeLookedAt();
		assertThat(this.here.look(this.key).isHeld()).isFalse();
		assertThat(this.here.forceRelease(this.key))
			.isEqualTo(new ForcedRelease(this.key, List.of(), List.of(), List.of()));
	}

	@Test
	void waiterThatIsInterruptedOrCancelledLeavesNothingBehind() throws Exception {
		Lease held = this.here.get(this.key, ONCE).tryAcquire().orElseThrow();
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		Future<Boolean> interrupted = onThread(() -> {
			thread.complete(Thread.currentThread());
			try {
				this.there.get(this.key, PATIENT).acquire();
				return false;
			}
			catch (InterruptedException ex) {
				return true;
			}
		});
		CompletableFuture<Lease> cancelled = this.there.get(this.key, PATIENT).acquireAsync();
		keepsWaiting(interrupted);
		thread.get().interrupt();
		assertThat(soon(interrupted)).isTrue();
		assertThat(cancelled.cancel(false)).isTrue();
		assertThat(held.release()).isTrue();
		isFree(this.here.get(this.key, ONCE));
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
		isFree(this.there.get(this.key, ONCE));
	}

	@Test
	void instanceThatStopsGivesBackWhatItHoldsAndFailsItsWaiters() {
		LockEngine stopping = startInstance();
		Lease held = stopping.get(this.key, ONCE).tryAcquire().orElseThrow();
		CompletableFuture<Lease> waiting = stopping.get(this.key, PATIENT).acquireAsync();
		stopping.close();
		assertThat(failure(waiting)).isInstanceOf(LockException.class);
		assertThat(held.isHeld()).isFalse();
		Optional<Lease> next = this.there.get(this.key, ONCE).tryAcquire();
		assertThat(next).isPresent();
		assertThat(next.get().release()).isTrue();
	}

}
