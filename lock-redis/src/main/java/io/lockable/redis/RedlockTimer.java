package io.lockable.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The timer of a Redlock store. Its tasks must not block. It uses one daemon thread,
 * which ends after an idle period.
 */
final class RedlockTimer {

	private static final int IDLE_SECONDS = 30;

	private final ScheduledThreadPoolExecutor executor;

	/**
	 * Creates a timer without a thread.
	 */
	RedlockTimer() {
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
	 * Schedules a task. A closed timer never runs it.
	 * @param nanos the delay in nanoseconds
	 * @param task the task
	 * @return cancels the task, or {@code null} if the timer is closed
	 */
	@Nullable Runnable after(long nanos, Runnable task) {
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
	 * @param nanos the delay in nanoseconds
	 * @return completes after the delay, or at once if the timer is closed
	 */
	CompletionStage<Boolean> pause(long nanos) {
		CompletableFuture<Boolean> over = new CompletableFuture<>();
		if (after(nanos, () -> over.complete(true)) == null) {
			over.complete(false);
		}
		return over;
	}

	/**
	 * Rejects new tasks. Scheduled tasks still run.
	 */
	void close() {
		this.executor.shutdown();
	}

}
