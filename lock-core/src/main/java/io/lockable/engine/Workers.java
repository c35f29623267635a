package io.lockable.engine;

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

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of an engine, all daemons that are started when first needed. Code of users
 * and commands of a blocking store have threads of their own, so that neither delays the
 * other; and renewals wait for neither.
 */
final class Workers {

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

	// Tasks that were not finished yet, where they are counted: on a clock that is moved.
	private final AtomicInteger unfinished = new AtomicInteger();

	private volatile boolean counting;

	Workers() {
		this.timer = new ScheduledThreadPoolExecutor(1, threads("lockable-timer"));
		this.timer.setRemoveOnCancelPolicy(true);
		this.workers = pool(MAX_WORKERS, Integer.MAX_VALUE, threads("lockable-worker"));
		this.renewals = pool(1, Integer.MAX_VALUE, threads("lockable-renewal"));
		this.callbacks = pool(MAX_CALLBACKS, Integer.MAX_VALUE, threads("lockable-callback"));
		this.listeners = pool(1, MAX_UNTOLD_EVENTS, threads("lockable-listeners"));
	}

	ScheduledExecutorService timer() {
		return this.timer;
	}

	/**
	 * Runs a step of the engine, which may block if the store does.
	 * @param step the step
	 */
	void execute(Runnable step) {
		run(this.workers, step);
	}

	void renew(Runnable renewal) {
		run(this.renewals, renewal);
	}

	/**
	 * Completes a future that a user has dependent actions on.
	 * @param completion the completion
	 */
	void callBack(Runnable completion) {
		run(this.callbacks, completion);
	}

	/**
	 * Tells a listener of what does not go wrong, after those told before; unless so much
	 * waits to be told that the rest of the room is for what does.
	 * @param call the call of the listener
	 */
	void tellActivity(Runnable call) {
		if (this.listeners.getQueue().size() < MAX_UNTOLD_EVENTS / 2) {
			tell(call);
		}
		else {
			untold();
		}
	}

	/**
	 * Tells a listener, after those told before.
	 * @param call the call of the listener
	 */
	void tell(Runnable call) {
		Runnable told = counted(() -> {
			try {
				call.run();
			}
			catch (Throwable ex) {
				log.warn("A lock listener failed; the lock is not affected", ex);
			}
			if (this.listeners.getQueue().isEmpty()) {
				this.overflowing.set(false);
			}
		});
		try {
			this.listeners.execute(told);
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
			log.warn(
					"Lock listeners are not told of all events: {} wait for one that blocks or is slow. Further ones are dropped until it has caught up",
					this.listeners.getQueue().size());
		}
	}

	/**
	 * Starts to count what is not finished, so that {@link #settle} can wait for it.
	 */
	void count() {
		this.counting = true;
	}

	/**
	 * Waits until all that was given to these threads is finished.
	 * @throws IllegalStateException if that takes more than ten seconds of real time
	 */
	void settle() {
		long deadline = System.nanoTime() + SETTLE_TIMEOUT;
		while (this.unfinished.get() > 0) {
			if (deadline - System.nanoTime() < 0) {
				throw new IllegalStateException("What became due has not been done within 10 s:"
						+ " a LockListener, or what depends on a future of the engine, seems to block");
			}
			LockSupport.parkNanos(SETTLE_PAUSE);
		}
	}

	void close() {
		this.timer.shutdownNow();
		this.workers.shutdown();
		this.renewals.shutdown();
		this.callbacks.shutdown();
		this.listeners.shutdown();
		// What was lost just now is told while those who listen are still there.
		try {
			if (!this.listeners.awaitTermination(1, TimeUnit.SECONDS)) {
				log.debug("Lock listeners are still busy; the rest is told while the application goes on to stop");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void run(ThreadPoolExecutor pool, Runnable task) {
		Runnable counted = counted(task);
		try {
			pool.execute(counted);
		}
		catch (RejectedExecutionException ex) {
			// Shut down: what is left is quick, and nobody is served any more.
			counted.run();
		}
	}

	private Runnable counted(Runnable task) {
		if (!this.counting) {
			return task;
		}
		this.unfinished.incrementAndGet();
		return () -> {
			try {
				task.run();
			}
			finally {
				this.unfinished.decrementAndGet();
			}
		};
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

}
