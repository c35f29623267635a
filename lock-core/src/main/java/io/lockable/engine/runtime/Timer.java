package io.lockable.engine.runtime;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one timer of an engine.
 *
 * <p>
 * Most locks are released long before their timers are due. A scheduled task for each
 * lock would wake the timer's thread only to be cancelled. This timer adds and removes
 * items in a set, and schedules a single task for the earliest time. The task checks all
 * items when it runs. It may therefore run for an item that was removed.
 */
public final class Timer {

	private static final Logger log = LoggerFactory.getLogger(Timer.class);

	private static final long MIN_INTERVAL = TimeUnit.MILLISECONDS.toNanos(1);

	private static final long RETRY_INTERVAL = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long NEVER = Long.MAX_VALUE;

	private final EngineRuntime runtime;

	private final Set<Task> watched = ConcurrentHashMap.newKeySet();

	private final ReentrantLock mutex = new ReentrantLock();

	// Relative to the origin, so that plain comparison is safe. Changed under the mutex.
	private volatile long tickAt = NEVER;

	private @Nullable Runnable cancelTick;

	private boolean closed;

	private final AtomicInteger calls = new AtomicInteger();

	private final long origin;

	private final long never;

	public Timer(EngineRuntime runtime) {
		this.runtime = runtime;
		this.origin = runtime.now();
		this.never = Deadline.after(this.origin, Duration.ofDays(36_500));
	}

	/**
	 * Returns a time that is not reached.
	 * @return the time of what is not due
	 */
	public long never() {
		return this.never;
	}

	public void add(Task item) {
		this.watched.add(item);
		wakeAt(item.dueAt());
	}

	public void remove(Task item) {
		this.watched.remove(item);
	}

	/**
	 * Calls a task once.
	 * @param time when, on the engine's clock
	 * @param task the task, as {@link Task#due} is called
	 * @return cancels the task, unless it was called
	 */
	public Runnable at(long time, Runnable task) {
		Task once = new Task(this.calls.incrementAndGet()) {

			@Override
			public long dueAt() {
				return time;
			}

			@Override
			public void due(long now) {
				task.run();
				remove(this);
			}

		};
		add(once);
		return () -> remove(once);
	}

	/**
	 * Ensures that a tick happens at that time or earlier.
	 * @param time the time on the engine's clock
	 */
	public void wakeAt(long time) {
		long at = time - this.origin;
		if (at < this.tickAt) {
			locked(() -> {
				if (at < this.tickAt && !this.closed) {
					Runnable cancelNew = this.runtime.schedule(this::tick, time);
					cancelTick();
					this.cancelTick = cancelNew;
					this.tickAt = at;
				}
			});
		}
	}

	private void locked(Runnable change) {
		this.mutex.lock();
		try {
			change.run();
		}
		finally {
			this.mutex.unlock();
		}
	}

	private void cancelTick() {
		if (this.cancelTick != null) {
			this.cancelTick.run();
			this.cancelTick = null;
		}
	}

	/**
	 * Ends all ticks, even if the clock advances.
	 */
	public void close() {
		locked(() -> {
			this.closed = true;
			cancelTick();
		});
	}

	/**
	 * Calls everything that is due, and schedules the next tick.
	 */
	public void tick() {
		// A wake-up from here on schedules another tick.
		locked(() -> this.tickAt = NEVER);
		long now = this.runtime.now();
		// A tick that fails is repeated.
		long next = now - this.origin + RETRY_INTERVAL;
		try {
			next = callDue(now);
		}
		finally {
			if (next != NEVER) {
				wakeCertainlyAt(Deadline.later(next + this.origin, now + MIN_INTERVAL));
			}
		}
	}

	// Without the next tick, no lock would be renewed any more.
	private void wakeCertainlyAt(long time) {
		while (true) {
			try {
				wakeAt(time);
				return;
			}
			catch (OutOfMemoryError ex) {
				this.runtime.pause(RETRY_INTERVAL);
			}
		}
	}

	private long callDue(long now) {
		long next = NEVER;
		for (Task item : this.watched) {
			boolean failed = item.dueAt() - now <= 0 && !call(item, now);
			next = Math.min(next, (failed ? now + RETRY_INTERVAL : item.dueAt()) - this.origin);
		}
		return next;
	}

	public int size() {
		return this.watched.size();
	}

	private boolean call(Task item, long now) {
		try {
			item.due(now);
			return true;
		}
		catch (RuntimeException | Error ex) {
			// A failure of one lock must not stop the ticks for all others.
			log.warn("A timed task failed; it is retried after a pause", LogSafe.of(ex));
			return false;
		}
	}

	/**
	 * A task that the timer calls at its time.
	 */
	public abstract static class Task {

		private final int hash;

		/**
		 * Creates a task.
		 * @param hash a number that is the same in each run, so that a set has the same
		 * order
		 */
		protected Task(int hash) {
			this.hash = hash;
		}

		/**
		 * Returns the time of the next {@link #due}, on the engine's clock. It may change
		 * at any time; the caller that makes it earlier notifies the timer.
		 * @return the time in nanoseconds
		 */
		public abstract long dueAt();

		/**
		 * Runs the task at or after {@link #dueAt}, on the timer's thread, or on a thread
		 * that may block if the store blocks. An early call is possible: implementations
		 * check the clock.
		 * @param now the time in nanoseconds
		 */
		public abstract void due(long now);

		@Override
		public final boolean equals(Object other) {
			return this == other;
		}

		@Override
		public final int hashCode() {
			return this.hash;
		}

	}

}
