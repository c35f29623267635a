package io.lockable.spring.call;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.LockType;
import io.lockable.spring.call.LockAcquirer.LockId;
import io.lockable.spring.call.SharedLocks.SharedLock;
import io.lockable.spring.metadata.LockRequest;
import io.lockable.spring.request.RequestId;
import org.junit.jupiter.api.Test;

import org.springframework.core.annotation.AnnotationUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link AsyncLocking}: each possible order of grant, refusal and cancellation.
 */
class AsyncLockingTests {

	private final Map<String, CompletableFuture<Lease>> pending = new HashMap<>();

	private final List<String> outcomes = new ArrayList<>();

	private final DistributedLocks locks = mock(DistributedLocks.class);

	private final LockAcquirer acquirer = new LockAcquirer(() -> this.locks);

	@Test
	void locksAreAcquiredOneAfterTheOther() {
		AsyncLocking locking = locking(Map.of(), "a", "b");
		locking.start();
		assertThat(this.pending).containsOnlyKeys("a");
		Lease first = grant("a");
		assertThat(this.pending).containsOnlyKeys("a", "b");
		assertThat(this.outcomes).isEmpty();
		Lease second = grant("b");
		assertThat(this.outcomes).containsExactly("acquired [a, b]");
		then(first).should(never()).releaseAsync();
		then(second).should(never()).releaseAsync();
	}

	@Test
	void eachAcquisitionKnowsTheRequestIdWhicheverThreadGoesOn() {
		List<String> known = new ArrayList<>();
		List<LockRequest> requests = new ArrayList<>();
		CompletableFuture<Lease> first = new CompletableFuture<>();
		for (String key : List.of("a", "b")) {
			requests.add(request(key));
			DistributedLock lock = mock(DistributedLock.class);
			given(this.locks.get(eq(key), any())).willReturn(lock);
			given(lock.acquireAsync()).willAnswer((invocation) -> {
				known.add(RequestId.current());
				return first;
			});
		}
		recorded(new AsyncLocking(this.acquirer, requests, Map.of(), "request-1")).start();
		first.complete(lease(true));
		assertThat(this.outcomes).containsExactly("acquired [a, b]");
		assertThat(known).containsExactly("request-1", "request-1");
		assertThat(RequestId.current()).isNull();
	}

	@Test
	void refusalGivesBackWhatWasAcquired() {
		locking(Map.of(), "a", "b").start();
		Lease first = grant("a");
		this.pending.get("b").completeExceptionally(new LockNotAcquiredException("held"));
		then(first).should().releaseAfterAsync(Duration.ZERO);
		assertThat(this.outcomes).containsExactly("refused b");
	}

	@Test
	void failureOfTheStoreIsNoRefusal() {
		locking(Map.of(), "a", "b").start();
		Lease first = grant("a");
		this.pending.get("b").completeExceptionally(new LockStoreException("down", null));
		then(first).should().releaseAfterAsync(Duration.ZERO);
		assertThat(this.outcomes).containsExactly("failed down");
	}

	@Test
	void failureToAskIsRecorded() {
		given(this.locks.get(eq("a"), any())).willThrow(new IllegalStateException("closed"));
		recorded(new AsyncLocking(this.acquirer, List.of(request("a")), Map.of(), null)).start();
		assertThat(this.outcomes).containsExactly("failed closed");
	}

	@Test
	void cancellationEndsTheWaitAndGivesBack() {
		AsyncLocking locking = locking(Map.of(), "a", "b");
		locking.start();
		Lease first = grant("a");
		locking.cancel(false);
		assertThat(this.pending.get("b")).isCancelled();
		then(first).should().releaseAfterAsync(Duration.ZERO);
		assertThat(this.outcomes).isEmpty();
	}

	@Test
	void grantThatCannotBeCancelledAnyMoreIsGivenBack() {
		CompletableFuture<Lease> stubborn = new CompletableFuture<>() {

			@Override
			public boolean cancel(boolean mayInterruptIfRunning) {
				return false;
			}

		};
		AsyncLocking locking = locking(Map.of(), "a", "b");
		this.pending.put("a", stubborn);
		locking.start();
		locking.cancel(false);
		Lease lease = grant("a");
		then(lease).should(times(1)).releaseAfterAsync(Duration.ZERO);
		assertThat(this.pending).doesNotContainKey("b");
		assertThat(this.outcomes).isEmpty();
	}

	@Test
	void cancellationBeforeTheStartAcquiresNothing() {
		AsyncLocking locking = locking(Map.of(), "a");
		locking.cancel(false);
		locking.start();
		assertThat(this.pending).isEmpty();
		assertThat(this.outcomes).isEmpty();
	}

	@Test
	void cancellationWhileAskingIsSeen() {
		AsyncLocking[] locking = new AsyncLocking[1];
		CompletableFuture<Lease> future = new CompletableFuture<>();
		locking[0] = locking(Map.of(), "a");
		DistributedLock lock = mock(DistributedLock.class);
		given(this.locks.get(eq("a"), any())).willReturn(lock);
		given(lock.acquireAsync()).willAnswer((invocation) -> {
			locking[0].cancel(false);
			return future;
		});
		locking[0].start();
		assertThat(future).isCancelled();
		assertThat(this.outcomes).isEmpty();
	}

	@Test
	void cancellationAfterTheGrantLeavesTheLocksToTheirHolder() {
		AsyncLocking locking = locking(Map.of(), "a");
		locking.start();
		Lease lease = grant("a");
		locking.cancel(false);
		assertThat(this.outcomes).containsExactly("acquired [a]");
		then(lease).should(never()).releaseAsync();
	}

	@Test
	void lockOfTheWorkAroundIsSharedUntilTheLastLeaves() {
		Lease lease = lease(true);
		SharedLock outer = new SharedLock(new HeldLock(request("a"), null, lease));
		AsyncLocking locking = new AsyncLocking(this.acquirer, List.of(request("a")),
				Map.of(new LockId(this.locks, "a"), outer), null)
			.start();
		outer.leave(true);
		then(lease).should(never()).releaseAsync();
		locking.join().leave(true);
		then(lease).should().releaseAsync();
		assertThat(outer.enter(request("a"))).isNull();
	}

	@Test
	void lockOfTheWorkAroundIsNeitherReleasedNorUnusedWhenAnotherIsRefused() {
		Lease lease = lease(true);
		SharedLock outer = new SharedLock(new HeldLock(request("a"), null, lease));
		locking(Map.of(new LockId(this.locks, "a"), outer), "a", "b").start();
		this.pending.get("b").completeExceptionally(new LockNotAcquiredException("held"));
		assertThat(this.outcomes).containsExactly("refused b");
		outer.leave(true);
		then(lease).should(never()).releaseAfterAsync(any());
		then(lease).should().releaseAsync();
	}

	@Test
	void readerWithinAWriterMayWrite() {
		SharedLock writer = new SharedLock(new HeldLock(request("a"), null, lease(true)));
		SharedLock reader = writer.enter(request("a", LockType.READ));
		assertThat(reader).isNotNull();
		assertThat(reader.covers(LockType.WRITE)).isTrue();
		SharedLock alone = new SharedLock(new HeldLock(request("b", LockType.READ), null, lease(true)));
		assertThat(alone.covers(LockType.WRITE)).isFalse();
	}

	@Test
	void lockThatTheWorkAroundHasReleasedIsAcquiredAnew() {
		SharedLock outer = new SharedLock(new HeldLock(request("a"), null, lease(true)));
		outer.leave(true);
		locking(Map.of(new LockId(this.locks, "a"), outer), "a").start();
		assertThat(this.pending).containsOnlyKeys("a");
	}

	@Test
	void lockThatTheWorkAroundHasLostIsAcquiredAnew() {
		Lease lost = lease(false);
		SharedLock outer = new SharedLock(new HeldLock(request("a", LockType.READ), null, lost));
		locking(Map.of(new LockId(this.locks, "a"), outer), "a").start();
		assertThat(this.pending).containsOnlyKeys("a");
		Lease fresh = grant("a");
		assertThat(this.outcomes).containsExactly("acquired [a]");
		then(lost).should(never()).releaseAsync();
		then(fresh).should(never()).releaseAsync();
	}

	private AsyncLocking locking(Map<LockId, SharedLock> outer, String... keys) {
		List<LockRequest> requests = new ArrayList<>();
		for (String key : keys) {
			requests.add(request(key));
			DistributedLock lock = mock(DistributedLock.class);
			given(this.locks.get(eq(key), any())).willReturn(lock);
			given(lock.acquireAsync())
				.willAnswer((invocation) -> this.pending.computeIfAbsent(key, (absent) -> new CompletableFuture<>()));
		}
		return recorded(new AsyncLocking(this.acquirer, requests, outer, null));
	}

	private Lease grant(String key) {
		Lease lease = lease(true);
		this.pending.get(key).complete(lease);
		return lease;
	}

	private static Lease lease(boolean held) {
		Lease lease = mock(Lease.class);
		given(lease.isHeld()).willReturn(held);
		given(lease.releaseAsync()).willReturn(CompletableFuture.completedFuture(true));
		given(lease.releaseAfterAsync(any())).willReturn(CompletableFuture.completedFuture(true));
		return lease;
	}

	private static LockRequest request(String key) {
		return request(key, LockType.EXCLUSIVE);
	}

	private static LockRequest request(String key, LockType type) {
		DistributedLockable annotation = AnnotationUtils.synthesizeAnnotation(Map.of("type", type),
				DistributedLockable.class, null);
		return new LockRequest(key, LockOptions.defaults(), annotation, null);
	}

	private AsyncLocking recorded(AsyncLocking locking) {
		locking.whenComplete((acquired, failure) -> {
			if (failure instanceof CancellationException) {
				return;
			}
			LockRequest refused = locking.refused();
			if (failure != null) {
				this.outcomes.add("failed " + failure.getMessage());
			}
			else if (refused != null) {
				this.outcomes.add("refused " + refused.key());
			}
			else {
				this.outcomes.add("acquired " + acquired.held().stream().map((held) -> held.request().key()).toList());
			}
		});
		return locking;
	}

}
