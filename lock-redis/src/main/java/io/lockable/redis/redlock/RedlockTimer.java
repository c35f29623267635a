package io.lockable.redis.redlock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

/**
 * Ends the waits of a Redlock store. What it runs must not block. One daemon thread, that
 * ends when there was nothing to do for a while.
 *
 * @since 0.1.0
 */
@Internal
public final class RedlockTimer {

	private static final int IDLE_SECONDS = 30;

	private final ScheduledThreadPoolExecutor executor;

	/**
	 * Creates a timer without a thread.
	 */
	public RedlockTimer() {
		this.executor = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "lockable-redlock-timer");
			thread.setDaemon(true);
			return thread;
		});
		this.executor.setRemoveOnCancelPolicy(true);
		this.executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		this.executor.allowCoreThreadTimeOut(true);
	}

	/**
	 * Runs a task later, or not at all once the timer is closed.
	 * @param nanos when, in nanoseconds from now
	 * @param task the task
	 * @return calls the task off, {@code null} if it will not run
	 */
	public @Nullable Runnable after(long nanos, Runnable task) {
		try {
			ScheduledFuture<?> scheduled = this.executor.schedule(task, nanos, TimeUnit.NANOSECONDS);
			return () -> scheduled.cancel(false);
		}
		catch (RejectedExecutionException ex) {
			return null;
		}
	}

	/**
	 * Waits without blocking.
	 * @param nanos how long, in nanoseconds
	 * @return completes then, or at once when the timer is closed
	 */
	public CompletionStage<Boolean> pause(long nanos) {
		CompletableFuture<Boolean> over = new CompletableFuture<>();
		if (after(nanos, () -> over.complete(true)) == null) {
			over.complete(false);
		}
		return over;
	}

	/**
	 * Lets what is scheduled still run, and accepts nothing new.
	 */
	public void close() {
		this.executor.shutdown();
	}

}
