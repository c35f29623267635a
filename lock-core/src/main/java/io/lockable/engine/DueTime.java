package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When something is due, moved by several threads: the earliest time wins until it is
 * cleared, and the watch learns of each earlier one.
 */
final class DueTime {

	private final long never;

	private final AtomicLong time;

	private final Watch watch;

	DueTime(long now, Watch watch) {
		this.never = Deadline.after(now, Duration.ofDays(36_500));
		this.time = new AtomicLong(this.never);
		this.watch = watch;
	}

	long get() {
		return this.time.get();
	}

	void notAfter(long wanted) {
		if (wanted - this.time.get() >= 0) {
			return;
		}
		long before = this.time.getAndAccumulate(wanted, Deadline::earlier);
		if (wanted - before < 0) {
			this.watch.wakeAt(wanted);
		}
	}

	/**
	 * Forgets the time. Whoever clears it looks at everything that may be due, after.
	 */
	void clear() {
		this.time.set(this.never);
	}

	long never() {
		return this.never;
	}

}
