package io.lockable;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * The clock of an engine: a monotonic time, a scheduler of tasks, and waits until a time.
 * By default, an engine uses the system's clock; a test passes a clock that it controls.
 *
 * <p>
 * Times are nanoseconds since an arbitrary origin. They may overflow: compare them by
 * their difference. A clock never goes back.
 *
 * <p>
 * Implementations are thread-safe.
 *
 * @since 0.1.0
 */
public interface LockClock extends LongSupplier {

	/**
	 * Returns the current time.
	 * @return nanoseconds since an arbitrary origin
	 */
	@Override
	long getAsLong();

	/**
	 * Runs a task once at the given time. The task never runs within this call, because
	 * the caller may hold locks that the task needs.
	 * @param task the task
	 * @param time the time to run it; a past time runs it immediately
	 * @return the action that cancels the task, unless it has started
	 */
	Runnable schedule(Runnable task, long time);

	/**
	 * Waits for a future until a time.
	 * @param <T> the type of the result
	 * @param future the future
	 * @param until the time at which the wait ends
	 * @return the result
	 * @throws InterruptedException if the thread was interrupted
	 * @throws ExecutionException if the future completed exceptionally
	 * @throws TimeoutException if the time passed before the future completed
	 */
	<T extends @Nullable Object> T await(CompletableFuture<T> future, long until)
			throws InterruptedException, ExecutionException, TimeoutException;

}
