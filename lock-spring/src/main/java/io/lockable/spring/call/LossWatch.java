package io.lockable.spring.call;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

import io.lockable.Lease;
import org.jspecify.annotations.Nullable;

/**
 * A body that runs on a thread, while it must hear of the loss of a lock: by an
 * interrupt, or by the failure of a transaction that is about to be committed. Nested
 * bodies of a thread form a chain.
 *
 * <p>
 * Invariants, guarded by the monitor of the outermost watch: a body is interrupted at
 * most once for its own locks, and never after {@link #end}; when an inner body has
 * ended, the interrupt for an outer one that came meanwhile stands, whatever the inner
 * one has done with it; the interrupt flag is taken away at the end only if it was not
 * set before. A later external interrupt is indistinguishable from ours.
 */
final class LossWatch {

	private static final ThreadLocal<@Nullable LossWatch> CURRENT = new ThreadLocal<>();

	private final Thread thread = Thread.currentThread();

	private final List<HeldLock> held;

	private final @Nullable LossWatch outer;

	private final LossWatch outermost;

	private boolean outerWasLost;

	private boolean ended;

	private boolean lost;

	// Whether the flag is ours, in the outermost watch
	private boolean interrupted;

	private LossWatch(List<HeldLock> held, @Nullable LossWatch outer) {
		this.held = held;
		this.outer = outer;
		this.outermost = (outer != null) ? outer.outermost : this;
	}

	/**
	 * Starts to watch for the body that the current thread is about to run.
	 * @param held the locks of the body
	 * @return the watch, or {@code null} if the annotation is content with a warning
	 */
	static @Nullable LossWatch start(List<HeldLock> held) {
		boolean needed = false;
		for (HeldLock each : held) {
			needed |= each.interruptsWhenLost() || each.failsWhenLost();
		}
		if (!needed) {
			return null;
		}
		LossWatch outer = CURRENT.get();
		LossWatch watch = new LossWatch(held, outer);
		CURRENT.set(watch);
		synchronized (watch.outermost) {
			watch.outerWasLost = watch.isOuterLost();
		}
		for (HeldLock each : held) {
			// A nested body runs on the thread that the outer one has interrupted
			if (each.interruptsWhenLost() && (outer == null || !outer.interruptsFor(each.lease()))) {
				Losses.of(each.lease()).add(watch);
			}
		}
		return watch;
	}

	/**
	 * Fails if a lock that a body of this thread needs to the end is lost.
	 */
	static void checkCurrent() {
		for (LossWatch watch = CURRENT.get(); watch != null; watch = watch.outer) {
			HeldLock.check(watch.held);
		}
	}

	private boolean interruptsFor(Lease lease) {
		for (HeldLock each : this.held) {
			if (each.interruptsWhenLost() && each.lease() == lease) {
				return true;
			}
		}
		return this.outer != null && this.outer.interruptsFor(lease);
	}

	private void interrupt() {
		synchronized (this.outermost) {
			if (this.ended || this.lost) {
				return;
			}
			this.lost = true;
			if (!this.thread.isInterrupted()) {
				this.outermost.interrupted = true;
				this.thread.interrupt();
			}
		}
	}

	/**
	 * Ends the watch, on the thread of the body.
	 */
	void end() {
		if (this.outer != null) {
			CURRENT.set(this.outer);
		}
		else {
			CURRENT.remove();
		}
		for (HeldLock each : this.held) {
			if (each.interruptsWhenLost()) {
				Losses.remove(each.lease(), this);
			}
		}
		synchronized (this.outermost) {
			this.ended = true;
			if (isOuterLost() && !this.outerWasLost) {
				// This body may have used up the interrupt
				if (!this.thread.isInterrupted()) {
					this.outermost.interrupted = true;
					this.thread.interrupt();
				}
			}
			else if (this.lost && this.outermost.interrupted) {
				this.outermost.interrupted = false;
				Thread.interrupted();
			}
		}
	}

	private boolean isOuterLost() {
		return this.outer != null && (this.outer.lost || this.outer.isOuterLost());
	}

	/**
	 * The watches to notify of the loss of one lease. A stage has no way to take back
	 * what depends on it, and a body may enter its lock again any number of times, so
	 * there is one of these for each lease.
	 */
	private static final class Losses {

		private static final Map<Lease, Losses> ALL = Collections.synchronizedMap(new WeakHashMap<>());

		private final Set<LossWatch> watches = ConcurrentHashMap.newKeySet();

		private volatile boolean lost;

		static Losses of(Lease lease) {
			return ALL.computeIfAbsent(lease, (watched) -> {
				Losses losses = new Losses();
				watched.lost().thenRun(losses::notifyWatches);
				return losses;
			});
		}

		void add(LossWatch watch) {
			this.watches.add(watch);
			if (this.lost) {
				watch.interrupt();
			}
		}

		static void remove(Lease lease, LossWatch watch) {
			Losses losses = ALL.get(lease);
			if (losses != null) {
				losses.watches.remove(watch);
			}
		}

		private void notifyWatches() {
			this.lost = true;
			this.watches.forEach(LossWatch::interrupt);
		}

	}

}
