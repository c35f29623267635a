package io.lockable.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
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

	final String a = this.key + ":a";

	final String b = this.key + ":b";

	final String c = this.key + ":c";

	final DistributedLock all(LockEngine instance, LockOptions options) {
		return instance.getAll(List.of(this.b, this.c, this.a, this.b), options);
	}

	final Lease hold(String name) {
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
		List<Long> tokens = Stream.of(this.a, this.b, this.c).map(lease::fencingToken).toList();
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
	void extendProlongsAll() {
		Lease lease = all(this.here, DYING.withWaitTime(Duration.ZERO)).tryAcquire().orElseThrow();
		assertThat(lease.extend(Duration.ofSeconds(60))).isTrue();
		assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(50));
		assertThat(lease.release()).isTrue();
	}

	@Test
	void leasesOfAllKeysAreRenewed() {
		Lease lease = all(this.here, ONCE.withLease(Duration.ofMillis(1500))).tryAcquire().orElseThrow();
		CompletableFuture<?> lost = lease.lost().toCompletableFuture();
		assertThat(lost.completeOnTimeout(null, 2000, TimeUnit.MILLISECONDS).join()).isNull();
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
		for (int round = 50; round > 0; round--) {
			CompletableFuture<Lease> waiting = all(this.here, PATIENT).acquireAsync();
			long until = System.nanoTime() + round * 20_000L;
			while (System.nanoTime() < until) {
				Thread.onSpinWait();
			}
			if (!waiting.cancel(true)) {
				soon(waiting).close();
			}
		}
		nobodyHolds();
	}

}
