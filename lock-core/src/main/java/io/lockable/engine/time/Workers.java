package io.lockable.engine.time;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import io.lockable.Internal;
import io.lockable.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of an engine, all daemons that start on first use. User code and commands
 * of a blocking store have separate threads, so that neither delays the other. Renewals
 * wait for neither.
 */
@Internal
public final class Workers {

	private static final Logger log = LoggerFactory.getLogger(Workers.class);

	private static final int MAX_WORKERS = 8;

	private static final int MAX_CALLBACKS = 4;

	private static final int IDLE_SECONDS = 30;

	private static final long SETTLE_TIMEOUT = TimeUnit.SECONDS.toNanos(10);

	private static final long SETTLE_PAUSE = TimeUnit.MICROSECONDS.toNanos(50);

	private static final int MAX_PENDING_EVENTS = 10_000;

	private final ScheduledThreadPoolExecutor timer;

	private final ThreadPoolExecutor workers;

	private final ThreadPoolExecutor renewals;

	private final ThreadPoolExecutor callbacks;

	private final ThreadPoolExecutor listeners;

	private final AtomicBoolean overflowing = new AtomicBoolean();

	// Counters for a clock that a test moves: unfinished tasks that do not wait for the
	// clock, and the engine's own steps among them.
	private final AtomicInteger unfinished = new AtomicInteger();

	private final AtomicInteger unfinishedSteps = new AtomicInteger();

	// The kind of the calling thread's task, if it is one of these threads.
	private final ThreadLocal<@Nullable Kind> busyWith = new ThreadLocal<>();

	private volatile boolean counting;

	public Workers() {
		this(Workers::threads);
	}

	Workers(Function<String, ThreadFactory> threads) {
		this.timer = new ScheduledThreadPoolExecutor(1, threads.apply("lockable-timer"));
		this.timer.setRemoveOnCancelPolicy(true);
		this.workers = pool(MAX_WORKERS, Integer.MAX_VALUE, threads.apply("lockable-worker"));
		this.renewals = pool(1, Integer.MAX_VALUE, threads.apply("lockable-renewal"));
		this.callbacks = pool(MAX_CALLBACKS, Integer.MAX_VALUE, threads.apply("lockable-callback"));
		this.listeners = pool(1, MAX_PENDING_EVENTS, threads.apply("lockable-listeners"));
	}

	public ScheduledExecutorService timer() {
		return this.timer;
	}

	/**
	 * Runs a step of the engine, which may block if the store does.
	 * @param step the step
	 */
	public void execute(Runnable step) {
		run(this.workers, step, Kind.STEP);
	}

	public void renew(Runnable renewal) {
		run(this.renewals, renewal, Kind.STEP);
	}

	/**
	 * Completes a future with dependent actions of a user.
	 * @param completion the completion
	 */
	public void callBack(Runnable completion) {
		run(this.callbacks, completion, Kind.CALLBACK);
	}

	/**
	 * Notifies a listener, after earlier notifications. A notification that is no failure
	 * is dropped when the rest of the queue is reserved for failures.
	 * @param call the call of the listener
	 * @param failure whether the event is a failure
	 */
	public void notifyListener(Runnable call, boolean failure) {
		if (!failure && this.listeners.getQueue().size() >= MAX_PENDING_EVENTS / 2) {
			warnOfDroppedEvents();
			return;
		}
		Runnable counted = counted(() -> {
			try {
				call.run();
			}
			catch (Throwable ex) {
				log.warn("A lock listener failed; the lock is not affected", LogSafe.of(ex));
			}
			if (this.listeners.getQueue().isEmpty()) {
				this.overflowing.set(false);
			}
		}, Kind.CALLBACK);
		try {
			this.listeners.execute(counted);
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			if (this.counting) {
				this.unfinished.decrementAndGet();
			}
			warnOfDroppedEvents();
		}
	}

	private void warnOfDroppedEvents() {
		if (!this.listeners.isShutdown() && this.overflowing.compareAndSet(false, true)) {
			log.warn("Lock listeners miss events: {} events wait for a blocking or slow listener. Further "
					+ "events are dropped until the listener catches up", this.listeners.getQueue().size());
		}
	}

	/**
	 * Starts to count unfinished tasks, so that {@link #settle} can wait for them.
	 */
	void count() {
		this.counting = true;
	}

	/**
	 * Waits until all tasks of these threads are finished. A call from a callback thread
	 * waits only for the engine's own steps, because other callbacks may wait for the
	 * caller. A call from a step returns immediately.
	 * @throws IllegalStateException after ten seconds of real time
	 */
	public void settle() {
		Kind own = this.busyWith.get();
		if (own == Kind.STEP) {
			return;
		}
		AtomicInteger awaited = (own == Kind.CALLBACK) ? this.unfinishedSteps : this.unfinished;
		long deadline = System.nanoTime() + SETTLE_TIMEOUT;
		while (awaited.get() > 0) {
			if (deadline - System.nanoTime() < 0) {
				throw new IllegalStateException("The due tasks did not finish within 10s:"
						+ " a LockListener, or a dependent of an engine's future, seems to block");
			}
			LockSupport.parkNanos(SETTLE_PAUSE);
		}
	}

	/**
	 * Marks the calling thread as waiting for the clock, so that a move of the clock does
	 * not wait for this thread.
	 * @return the action that ends the wait; to be called at least once
	 */
	Runnable waitForClock() {
		if (this.busyWith.get() != Kind.CALLBACK) {
			return () -> {
			};
		}
		this.unfinished.decrementAndGet();
		AtomicBoolean waiting = new AtomicBoolean(true);
		return () -> {
			if (waiting.compareAndSet(true, false)) {
				this.unfinished.incrementAndGet();
			}
		};
	}

	public void close() {
		this.timer.shutdownNow();
		this.workers.shutdown();
		this.renewals.shutdown();
		this.callbacks.shutdown();
		this.listeners.shutdown();
		// Delivers recent losses while listeners are still in place.
		try {
			if (!this.listeners.awaitTermination(1, TimeUnit.SECONDS)) {
				log.debug("Lock listeners are still busy; the remaining events follow while the application stops");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void run(ThreadPoolExecutor pool, Runnable task, Kind kind) {
		Runnable counted = counted(task, kind);
		try {
			pool.execute(counted);
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// After the shutdown, remaining tasks are short and delay no other thread.
			// Without memory for a thread, a late caller is better than a lost task.
			counted.run();
		}
	}

	private Runnable counted(Runnable task, Kind kind) {
		if (!this.counting) {
			return task;
		}
		count(kind, 1);
		return () -> {
			Kind outer = this.busyWith.get();
			this.busyWith.set(kind);
			try {
				task.run();
			}
			finally {
				this.busyWith.set(outer);
				count(kind, -1);
			}
		};
	}

	private void count(Kind kind, int change) {
		this.unfinished.addAndGet(change);
		if (kind == Kind.STEP) {
			this.unfinishedSteps.addAndGet(change);
		}
	}

	private static ThreadPoolExecutor pool(int size, int capacity, ThreadFactory threads) {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(size, size, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(capacity), threads);
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	private static ThreadFactory threads(String name) {
		AtomicInteger number = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, name + '-' + number.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

	/**
	 * The kind of a task.
	 */
	private enum Kind {

		/**
		 * A step of the engine.
		 */
		STEP,

		/**
		 * User code that is notified.
		 */
		CALLBACK

	}

}
