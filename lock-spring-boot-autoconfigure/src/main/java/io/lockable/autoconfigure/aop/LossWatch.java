package io.lockable.autoconfigure.aop;

import java.util.List;

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
 * ended, the interrupt for an outer one stands, whatever the inner one has done with it;
 * the interrupt flag is taken away at the end only if it was not set before. An interrupt
 * by somebody else that comes after ours cannot be told from it.
 */
final class LossWatch {

	private static final ThreadLocal<@Nullable LossWatch> CURRENT = new ThreadLocal<>();

	private final Thread thread = Thread.currentThread();

	private final List<HeldLock> held;

	private final @Nullable LossWatch outer;

	private final LossWatch outermost;

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
		for (HeldLock each : held) {
			// A nested body runs on the thread that the outer one has interrupted
			if (each.interruptsWhenLost() && (outer == null || !outer.interruptsFor(each.lease()))) {
				each.lease().lost().thenRun(watch::interrupt);
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
		synchronized (this.outermost) {
			this.ended = true;
			if (!this.lost || !this.outermost.interrupted) {
				return;
			}
			if (isOuterLost()) {
				this.thread.interrupt();
			}
			else {
				this.outermost.interrupted = false;
				Thread.interrupted();
			}
		}
	}

	private boolean isOuterLost() {
		return this.outer != null && (this.outer.lost || this.outer.isOuterLost());
	}

}
