package io.lockable.spring.call;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockUpgradeException;
import io.lockable.spring.call.LockAcquirer.LockId;
import io.lockable.spring.call.SharedLocks.SharedLock;
import io.lockable.spring.metadata.LockRequest;
import io.lockable.spring.request.RequestId;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires the locks of one call, all or none, one after the other, without blocking. It
 * completes with the locks, or with none if another owner holds one of them.
 *
 * <p>
 * Invariants: at most one acquisition is pending, and only its continuation adds to the
 * held locks. The future itself decides between a grant and a cancellation: the side that
 * completes it owns the locks. Locks granted to a cancelled or failed future are
 * released. A cancellation that is too late for a pending acquisition takes effect when
 * the acquisition completes.
 */
final class AsyncLocking extends CompletableFuture<SharedLocks> {

	private static final Logger logger = LoggerFactory.getLogger(AsyncLocking.class);

	private final LockAcquirer acquirer;

	private final List<LockRequest> requests;

	private final Map<LockId, SharedLock> outer;

	private final @Nullable String requestId;

	private final long start = System.nanoTime();

	private final List<SharedLock> held = new ArrayList<>();

	private volatile @Nullable CompletableFuture<Lease> pending;

	private volatile @Nullable LockRequest refused;

	/**
	 * Creates an acquisition.
	 * @param acquirer acquires the locks
	 * @param requests the locks, in order
	 * @param outer the locks of the enclosing work, which this call shares
	 * @param requestId the start of the owner tokens, or {@code null} for none. It is
	 * passed explicitly because the thread that continues after a wait does not have it
	 */
	AsyncLocking(LockAcquirer acquirer, List<LockRequest> requests, Map<LockId, SharedLock> outer,
			@Nullable String requestId) {
		this.acquirer = acquirer;
		this.requests = requests;
		this.outer = outer;
		this.requestId = requestId;
	}

	AsyncLocking start() {
		try {
			next();
		}
		catch (RuntimeException ex) {
			giveBack();
			completeExceptionally(ex);
		}
		return this;
	}

	/**
	 * Cancels the acquisition, unless it is complete. Granted and pending locks are
	 * released.
	 * @param mayInterruptIfRunning without effect
	 * @return whether it is cancelled
	 */
	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		CompletableFuture<Lease> acquisition = this.pending;
		if (cancelled && acquisition != null) {
			acquisition.cancel(false);
		}
		return cancelled;
	}

	/**
	 * Returns the lock that another owner holds. Valid after completion.
	 * @return the lock, or {@code null} if all locks were acquired
	 */
	@Nullable LockRequest refused() {
		return this.refused;
	}

	private void next() {
		while (this.held.size() < this.requests.size() && !isDone()) {
			LockRequest request = this.requests.get(this.held.size());
			SharedLock shared = enter(request);
			if (shared == null) {
				acquire(request);
				return;
			}
			this.held.add(shared);
		}
		if (!complete(new SharedLocks(this.held))) {
			giveBack();
		}
	}

	private @Nullable SharedLock enter(LockRequest request) {
		SharedLock around = request.isSemaphore() ? null : this.outer.get(this.acquirer.id(request));
		SharedLock shared = (around != null) ? around.enter(request) : null;
		if (around == null || shared == null) {
			return null;
		}
		if (!shared.held().lease().isHeld()) {
			shared.leave(true);
			logger.warn(
					"Lock '{}' is acquired again within work that lost it. That work may overlap with another owner's",
					LogSafe.of(request.key()));
			return null;
		}
		if (!around.covers(request.annotation().type())) {
			shared.leave(true);
			throw new LockUpgradeException(
					"Lock '%s' cannot be upgraded: the enclosing work holds the read lock and would wait for itself"
						.formatted(request.key()));
		}
		return shared;
	}

	private void acquire(LockRequest request) {
		Duration elapsed = this.held.isEmpty() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - this.start);
		CompletableFuture<Lease> acquisition = ask(request, elapsed);
		this.pending = acquisition;
		if (isCancelled()) {
			acquisition.cancel(false);
		}
		acquisition.whenComplete((lease, failure) -> {
			if (lease != null) {
				this.held.add(new SharedLock(new HeldLock(request, null, lease)));
				start();
				return;
			}
			giveBack();
			if (failure instanceof LockNotAcquiredException) {
				this.refused = request;
				complete(new SharedLocks(List.of()));
			}
			else {
				completeExceptionally(failure);
			}
		});
	}

	private CompletableFuture<Lease> ask(LockRequest request, Duration elapsed) {
		try (RequestId.Scope scope = (this.requestId != null) ? RequestId.open(this.requestId) : null) {
			return this.acquirer.acquireAsync(request, elapsed);
		}
	}

	private void giveBack() {
		new SharedLocks(this.held).leave(false);
		this.held.clear();
	}

}
