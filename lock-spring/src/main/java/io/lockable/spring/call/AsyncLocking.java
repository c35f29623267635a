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
import io.lockable.spring.metadata.LogSafe;
import io.lockable.spring.request.RequestId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires the locks of one call, all or none, one after the other, without blocking.
 *
 * <p>
 * Invariants, guarded by the monitor: at most one acquisition is pending; exactly one of
 * decided (the listener is notified) and cancelled becomes true; acquired locks go to the
 * listener, or are given back where the call is found cancelled or failed. A cancellation
 * that comes too late for a pending acquisition is seen when that one completes. Nothing
 * foreign is called while the monitor is held.
 */
final class AsyncLocking {

	private static final Logger logger = LoggerFactory.getLogger(AsyncLocking.class);

	private final LockAcquirer acquirer;

	private final List<LockRequest> requests;

	private final Map<LockId, SharedLock> outer;

	private final Listener listener;

	private final @Nullable String requestId;

	private final long start = System.nanoTime();

	private final List<SharedLock> held = new ArrayList<>();

	private @Nullable CompletableFuture<Lease> pending;

	private boolean cancelled;

	private boolean decided;

	/**
	 * Creates an acquisition.
	 * @param acquirer acquires the locks
	 * @param requests which locks, in order
	 * @param outer the locks that the work around has, in which to take part
	 * @param listener notified of the outcome, unless cancelled before
	 * @param requestId what the owner tokens start with, or {@code null} if that does not
	 * matter. The current thread need not know it, and the one that goes on after a wait
	 * does not.
	 */
	AsyncLocking(LockAcquirer acquirer, List<LockRequest> requests, Map<LockId, SharedLock> outer, Listener listener,
			@Nullable String requestId) {
		this.acquirer = acquirer;
		this.requests = requests;
		this.outer = outer;
		this.listener = listener;
		this.requestId = requestId;
	}

	void start() {
		try {
			next();
		}
		catch (RuntimeException ex) {
			fail(ex);
		}
	}

	/**
	 * Ends the acquisition, unless it is decided. What was or is going to be granted is
	 * given back.
	 */
	void cancel() {
		CompletableFuture<Lease> interrupted;
		synchronized (this) {
			if (this.decided) {
				return;
			}
			this.cancelled = true;
			interrupted = this.pending;
		}
		if (interrupted != null) {
			interrupted.cancel(false);
		}
	}

	private void next() {
		while (true) {
			LockRequest request;
			synchronized (this) {
				if (this.cancelled) {
					break;
				}
				if (this.held.size() == this.requests.size()) {
					this.decided = true;
					break;
				}
				request = this.requests.get(this.held.size());
			}
			SharedLock shared = enter(request);
			if (shared == null) {
				acquire(request);
				return;
			}
			add(shared);
		}
		if (isDecided()) {
			this.listener.acquired(new SharedLocks(this.held));
		}
		else {
			giveBack();
		}
	}

	private @Nullable SharedLock enter(LockRequest request) {
		SharedLock around = request.isSemaphore() ? null : this.outer.get(this.acquirer.id(request));
		if (around == null) {
			return null;
		}
		SharedLock shared = around.enter(request);
		if (shared == null) {
			return null;
		}
		if (!shared.held().lease().isHeld()) {
			shared.leave();
			logger.warn(
					"Lock '{}' is acquired again within work that lost it. That work may overlap with another owner's",
					LogSafe.of(request.key()));
			return null;
		}
		if (!around.covers(request.type())) {
			shared.leave();
			throw new LockUpgradeException(
					"Lock '%s' cannot be upgraded: the enclosing work holds the read lock and would wait for itself"
						.formatted(LogSafe.of(request.key())));
		}
		return shared;
	}

	private void acquire(LockRequest request) {
		Duration elapsed = this.held.isEmpty() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - this.start);
		CompletableFuture<Lease> acquisition = ask(request, elapsed);
		boolean late;
		synchronized (this) {
			this.pending = acquisition;
			late = this.cancelled;
		}
		if (late) {
			acquisition.cancel(false);
		}
		acquisition.whenComplete((lease, failure) -> {
			if (lease != null) {
				acquired(request, lease);
			}
			else if (failure instanceof LockNotAcquiredException) {
				refuse(request);
			}
			else {
				fail(failure);
			}
		});
	}

	private CompletableFuture<Lease> ask(LockRequest request, Duration elapsed) {
		if (this.requestId == null) {
			return this.acquirer.acquireAsync(request, elapsed);
		}
		RequestId.Scope scope = RequestId.open(this.requestId);
		try {
			return this.acquirer.acquireAsync(request, elapsed);
		}
		finally {
			scope.close();
		}
	}

	private void acquired(LockRequest request, Lease lease) {
		add(new SharedLock(new HeldLock(request, null, lease)));
		start();
	}

	private synchronized void add(SharedLock lock) {
		this.pending = null;
		this.held.add(lock);
	}

	private void refuse(LockRequest request) {
		giveBack();
		if (decide()) {
			this.listener.refused(request);
		}
	}

	private void fail(Throwable failure) {
		giveBack();
		if (decide()) {
			this.listener.failed(failure);
		}
	}

	private synchronized boolean decide() {
		boolean first = !this.decided && !this.cancelled;
		this.decided |= first;
		return first;
	}

	private synchronized boolean isDecided() {
		return this.decided;
	}

	private void giveBack() {
		List<SharedLock> given;
		synchronized (this) {
			given = List.copyOf(this.held);
			this.held.clear();
		}
		new SharedLocks(given).leaveUnused();
	}

	/**
	 * Notified once of the outcome.
	 */
	interface Listener {

		void acquired(SharedLocks locks);

		void refused(LockRequest request);

		void failed(Throwable failure);

	}

}
