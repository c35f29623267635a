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

import io.lockable.Internal;
import io.lockable.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of an engine, all daemons that are started when first needed. Code of users
 * and commands of a blocking store have threads of their own, so that neither delays the
 * other; and renewals wait for neither.
 */
@Internal
public final class Workers {

	private static final Logger log = LoggerFactory.getLogger(Workers.class);

	private static final int MAX_WORKERS = 8;

	private static final int MAX_CALLBACKS = 4;

	private static final int IDLE_SECONDS = 30;

	private static final long SETTLE_TIMEOUT = TimeUnit.SECONDS.toNanos(10);

	private static final long SETTLE_PAUSE = TimeUnit.MICROSECONDS.toNanos(50);

	private static final int MAX_UNTOLD_EVENTS = 10_000;

	private final ScheduledThreadPoolExecutor timer;

	private final ThreadPoolExecutor workers;

	private final ThreadPoolExecutor renewals;

	private final ThreadPoolExecutor callbacks;

	private final ThreadPoolExecutor listeners;

	private final AtomicBoolean overflowing = new AtomicBoolean();

	// Tasks that were not finished yet and do not wait for the clock, where they are
	// counted: on a clock that is moved. And those of them that are the engine's own.
	private final AtomicInteger unfinished = new AtomicInteger();

	private final AtomicInteger unfinishedSteps = new AtomicInteger();

	// What the calling thread is busy with, if it is one of these threads.
	private final ThreadLocal<@Nullable Kind> busyWith = new ThreadLocal<>();

	private volatile boolean counting;

	public Workers() {
		this.timer = new ScheduledThreadPoolExecutor(1, threads("lockable-timer"));
		this.timer.setRemoveOnCancelPolicy(true);
		this.workers = pool(MAX_WORKERS, Integer.MAX_VALUE, threads("lockable-worker"));
		this.renewals = pool(1, Integer.MAX_VALUE, threads("lockable-renewal"));
		this.callbacks = pool(MAX_CALLBACKS, Integer.MAX_VALUE, threads("lockable-callback"));
		this.listeners = pool(1, MAX_UNTOLD_EVENTS, threads("lockable-listeners"));
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
	 * Completes a future that a user has dependent actions on.
	 * @param completion the completion
	 */
	public void callBack(Runnable completion) {
		run(this.callbacks, completion, Kind.TOLD);
	}

	/**
	 * Tells a listener, after those told before; unless so much waits to be told that the
	 * rest of the room is for failures.
	 * @param call the call of the listener
	 * @param failure whether it tells of a failure
	 */
	public void tell(Runnable call, boolean failure) {
		if (!failure && this.listeners.getQueue().size() >= MAX_UNTOLD_EVENTS / 2) {
			untold();
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
		}, Kind.TOLD);
		try {
			this.listeners.execute(counted);
		}
		catch (RejectedExecutionException ex) {
			if (this.counting) {
				this.unfinished.decrementAndGet();
			}
			untold();
		}
	}

	private void untold() {
		if (!this.listeners.isShutdown() && this.overflowing.compareAndSet(false, true)) {
			log.warn("Lock listeners miss events: {} events wait for a blocking or slow listener. Further "
					+ "events are dropped until the listener catches up", this.listeners.getQueue().size());
		}
	}

	/**
	 * Starts to count what is not finished, so that {@link #settle} can wait for it.
	 */
	void count() {
		this.counting = true;
	}

	/**
	 * Waits until all that was given to these threads is finished. On one of them, only
	 * the engine's own steps are waited for: whoever else is to be told may have to wait
	 * for the caller.
	 * @throws IllegalStateException if that takes more than ten seconds of real time
	 */
	public void settle() {
		Kind own = this.busyWith.get();
		if (own == Kind.STEP) {
			return;
		}
		AtomicInteger awaited = (own == Kind.TOLD) ? this.unfinishedSteps : this.unfinished;
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
	 * Notes that the calling thread waits for the clock to be moved, so that whoever
	 * moves it does not wait for this thread.
	 * @return to be called when there is nothing to wait for any more, at least once
	 */
	Runnable waitForClock() {
		if (this.busyWith.get() != Kind.TOLD) {
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
		// What was lost just now is told while those who listen are still there.
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
		catch (RejectedExecutionException ex) {
			// Shut down: what is left is quick, and nobody is served any more.
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
	 * What these threads do.
	 */
	private enum Kind {

		/**
		 * A step of the engine.
		 */
		STEP,

		/**
		 * Code of a user, who is told of something.
		 */
		TOLD

	}

}
