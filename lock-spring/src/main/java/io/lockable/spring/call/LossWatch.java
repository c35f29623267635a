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
 * Watches for the loss of a lock while a body runs on a thread. A loss interrupts the
 * body, or fails the commit of its transaction. Nested bodies of a thread form a chain.
 *
 * <p>
 * The monitor of the outermost watch guards these invariants. A body is interrupted at
 * most once for its own locks, and never after {@link #close}. If an outer body was
 * interrupted while an inner one ran, the flag is set after the inner one, even if that
 * has cleared it. The interrupt flag is cleared at the end only if it was not set before.
 * A later external interrupt is indistinguishable from ours and is cleared with it.
 */
final class LossWatch implements AutoCloseable {

	private static final ThreadLocal<@Nullable LossWatch> CURRENT = new ThreadLocal<>();

	private final Thread thread = Thread.currentThread();

	private final List<HeldLock> held;

	private final Losses losses;

	private final @Nullable LossWatch outer;

	private final LossWatch outermost;

	private boolean outerWasLost;

	private boolean ended;

	private boolean lost;

	// Whether this class has set the interrupt flag; used in the outermost watch only
	private boolean interrupted;

	private LossWatch(List<HeldLock> held, Losses losses, @Nullable LossWatch outer) {
		this.held = held;
		this.losses = losses;
		this.outer = outer;
		this.outermost = (outer != null) ? outer.outermost : this;
	}

	/**
	 * Starts a watch for the body that the current thread is about to run.
	 * @param held the locks of the body
	 * @param losses the losses of the application
	 * @return the watch, or {@code null} if all locks have {@code OnLost.WARN}
	 */
	static @Nullable LossWatch start(List<HeldLock> held, Losses losses) {
		if (held.stream().noneMatch((each) -> each.interruptsWhenLost() || each.failsWhenLost())) {
			return null;
		}
		LossWatch outer = CURRENT.get();
		LossWatch watch = new LossWatch(held, losses, outer);
		CURRENT.set(watch);
		synchronized (watch.outermost) {
			watch.outerWasLost = watch.isOuterLost();
		}
		for (HeldLock each : held) {
			// A nested body runs on the thread that the outer watch interrupts
			if (each.interruptsWhenLost() && (outer == null || !outer.interruptsFor(each.lease()))) {
				watch.watch(each.lease());
			}
		}
		return watch;
	}

	/**
	 * Fails if a body of this thread has lost a lock with {@code OnLost.FAIL}.
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
		Loss loss = this.losses.of(lease);
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
	@Override
	public void close() {
		if (this.outer != null) {
			CURRENT.set(this.outer);
		}
		else {
			CURRENT.remove();
		}
		for (HeldLock each : this.held) {
			if (each.interruptsWhenLost()) {
				this.losses.of(each.lease()).watches().remove(this);
			}
		}
		synchronized (this.outermost) {
			this.ended = true;
			if (isOuterLost() && !this.outerWasLost) {
				// This body may have cleared the interrupt
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
	 * The losses of the leases of one application, each shared by all watches of its
	 * lease. A stage cannot remove its dependents, and a body may enter its lock any
	 * number of times. Thread-safe; an entry lives as long as its lease.
	 */
	static final class Losses {

		private final Map<Lease, Loss> losses = Collections.synchronizedMap(new WeakHashMap<>());

		private Loss of(Lease lease) {
			return this.losses.computeIfAbsent(lease, (watched) -> {
				Loss loss = new Loss(watched.lost().toCompletableFuture(), ConcurrentHashMap.newKeySet());
				loss.event.thenRun(() -> loss.watches.forEach(LossWatch::interrupt));
				return loss;
			});
		}

	}

	/**
	 * The loss of one lease.
	 *
	 * @param event completes when the lease is lost
	 * @param watches the watches to notify
	 */
	private record Loss(CompletableFuture<LockLost> event, Set<LossWatch> watches) {

	}

}
