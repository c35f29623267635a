package io.lockable.spring.call;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.lockable.Lease;
import io.lockable.LockLost;
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
		if (held.stream().noneMatch((each) -> each.interruptsWhenLost() || each.failsWhenLost())) {
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
				watch.watch(each.lease());
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
		return this.held.stream().anyMatch((each) -> each.interruptsWhenLost() && each.lease() == lease)
				|| (this.outer != null && this.outer.interruptsFor(lease));
	}

	private void watch(Lease lease) {
		Loss loss = Loss.of(lease);
		loss.watches().add(this);
		if (loss.event().isDone()) {
			interrupt();
		}
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
				Loss.of(each.lease()).watches().remove(this);
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
	 * The loss of one lease. A stage has no way to take back what depends on it, and a
	 * body may enter its lock again any number of times, so there is one of these for
	 * each lease.
	 *
	 * @param event completes when the lease is lost
	 * @param watches the watches to notify
	 */
	private record Loss(CompletableFuture<LockLost> event, Set<LossWatch> watches) {

		private static final Map<Lease, Loss> ALL = Collections.synchronizedMap(new WeakHashMap<>());

		static Loss of(Lease lease) {
			return ALL.computeIfAbsent(lease, (watched) -> {
				Loss loss = new Loss(watched.lost().toCompletableFuture(), ConcurrentHashMap.newKeySet());
				loss.event.thenRun(() -> loss.watches.forEach(LossWatch::interrupt));
				return loss;
			});
		}

	}

}
