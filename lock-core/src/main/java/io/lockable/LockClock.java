package io.lockable;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * The time of an engine: a monotonic clock, what is to be done when it reaches a moment,
 * and how a thread waits until then. An engine has the system's, unless a test gives it
 * one to move.
 *
 * <p>
 * Times are nanoseconds since any moment, and are compared by their difference: they may
 * overflow. A clock never goes back.
 *
 * <p>
 * Implementations are thread-safe.
 *
 * @since 0.1.0
 */
public interface LockClock extends LongSupplier {

	/**
	 * Returns the time.
	 * @return nanoseconds since any moment
	 */
	@Override
	long getAsLong();

	/**
	 * Runs a task once, when the time has come. Never runs it within this call, which may
	 * be made under locks that the task needs.
	 * @param task the task
	 * @param time when to run it; at once if that is over
	 * @return takes the task back, unless it has started
	 */
	Runnable schedule(Runnable task, long time);

	/**
	 * Waits for a future until a time.
	 * @param <T> the type of the result
	 * @param future what to wait for
	 * @param until how long
	 * @return the result
	 * @throws InterruptedException if the thread was interrupted
	 * @throws ExecutionException if the future completed exceptionally
	 * @throws TimeoutException if the time has come first
	 */
	<T extends @Nullable Object> T await(CompletableFuture<T> future, long until)
			throws InterruptedException, ExecutionException, TimeoutException;

}
