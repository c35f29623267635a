package io.lockable.spring.call;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockUpgradeException;
import io.lockable.spring.call.LockSource.LockId;
import io.lockable.spring.call.SharedLocks.SharedLock;
import io.lockable.spring.metadata.Guard;
import io.lockable.spring.metadata.Printed;
import io.lockable.spring.request.RequestId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires the locks of one call, all or none, one after the other, without blocking.
 *
 * <p>
 * Invariants, guarded by the monitor: at most one acquisition is pending; exactly one of
 * decided (the listener was told) and cancelled becomes true; what was acquired goes to
 * the listener, or is given back by whoever finds the call cancelled or failed. A
 * cancellation that comes too late for a pending acquisition is seen when that one
 * completes. Nothing foreign is called while the monitor is held.
 */
final class AsyncLocking {

	private static final Logger logger = LoggerFactory.getLogger(AsyncLocking.class);

	private final LockSource source;

	private final List<Guard> guards;

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
	 * @param source gives the locks
	 * @param guards which locks, in order
	 * @param outer the locks that the work around has, in which to take part
	 * @param listener told of the outcome, unless cancelled before
	 * @param requestId what the owner tokens start with, or {@code null} if that does not
	 * matter. The current thread need not know it, and the one that goes on after a wait
	 * does not.
	 */
	AsyncLocking(LockSource source, List<Guard> guards, Map<LockId, SharedLock> outer, Listener listener,
			@Nullable String requestId) {
		this.source = source;
		this.guards = guards;
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
			Guard guard;
			synchronized (this) {
				if (this.cancelled) {
					break;
				}
				if (this.held.size() == this.guards.size()) {
					this.decided = true;
					break;
				}
				guard = this.guards.get(this.held.size());
			}
			SharedLock shared = enter(guard);
			if (shared == null) {
				acquire(guard);
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

	private @Nullable SharedLock enter(Guard guard) {
		SharedLock around = guard.isSemaphore() ? null : this.outer.get(this.source.id(guard));
		if (around == null) {
			return null;
		}
		SharedLock shared = around.enter(guard);
		if (shared == null) {
			return null;
		}
		if (!shared.held().lease().isHeld()) {
			shared.leave();
			logger.warn(
					"Lock '{}' is acquired again within work that lost it. That work may overlap with another owner's",
					Printed.of(guard.key()));
			return null;
		}
		if (!around.covers(guard.type())) {
			shared.leave();
			throw new LockUpgradeException(
					"Lock '%s' cannot be upgraded: the enclosing work holds the read lock and would wait for itself"
						.formatted(Printed.of(guard.key())));
		}
		return shared;
	}

	private void acquire(Guard guard) {
		Duration elapsed = this.held.isEmpty() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - this.start);
		CompletableFuture<Lease> acquisition = ask(guard, elapsed);
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
				acquired(guard, lease);
			}
			else if (failure instanceof LockNotAcquiredException) {
				refuse(guard);
			}
			else {
				fail(failure);
			}
		});
	}

	private CompletableFuture<Lease> ask(Guard guard, Duration elapsed) {
		if (this.requestId == null) {
			return this.source.acquireAsync(guard, elapsed);
		}
		RequestId.Scope scope = RequestId.open(this.requestId);
		try {
			return this.source.acquireAsync(guard, elapsed);
		}
		finally {
			scope.close();
		}
	}

	private void acquired(Guard guard, Lease lease) {
		add(new SharedLock(new HeldLock(guard, null, lease)));
		start();
	}

	private synchronized void add(SharedLock lock) {
		this.pending = null;
		this.held.add(lock);
	}

	private void refuse(Guard guard) {
		giveBack();
		if (decide()) {
			this.listener.refused(guard);
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
	 * Told once of the outcome.
	 */
	interface Listener {

		void acquired(SharedLocks locks);

		void refused(Guard guard);

		void failed(Throwable failure);

	}

}
