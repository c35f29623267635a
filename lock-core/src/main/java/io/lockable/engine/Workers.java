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

	private static final int MAX_UNTOLD_EVENTS = 10_000;

	private final ScheduledThreadPoolExecutor timer;

	private final ThreadPoolExecutor workers;

	private final ThreadPoolExecutor renewals;

	private final ThreadPoolExecutor callbacks;

	private final ThreadPoolExecutor listeners;

	private final AtomicBoolean overflowing = new AtomicBoolean();

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
	 * Tells a listener, after those told before.
	 * @param call the call of the listener
	 */
	void tell(Runnable call) {
		try {
			this.listeners.execute(() -> {
				try {
					call.run();
				}
				catch (RuntimeException ex) {
					log.warn("A lock listener failed; the lock is not affected", ex);
				}
				if (this.listeners.getQueue().isEmpty()) {
					this.overflowing.set(false);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			if (!this.listeners.isShutdown() && this.overflowing.compareAndSet(false, true)) {
				log.warn(
						"Lock listeners are not told of all events: {} wait for a listener that blocks. Further ones are dropped until it has caught up",
						MAX_UNTOLD_EVENTS);
			}
		}
	}

	void close() {
		this.timer.shutdownNow();
		this.workers.shutdown();
		this.renewals.shutdown();
		this.callbacks.shutdown();
		this.listeners.shutdown();
	}

	private static void run(ThreadPoolExecutor pool, Runnable task) {
		try {
			pool.execute(task);
		}
		catch (RejectedExecutionException ex) {
			// Shut down: what is left is quick, and nobody is served any more.
			task.run();
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

}
