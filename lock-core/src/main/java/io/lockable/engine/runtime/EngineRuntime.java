package io.lockable.engine.runtime;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

/**
 * Everything that an engine takes from outside besides its store: time, random numbers
 * and threads. By default, an engine has a {@link SystemRuntime}, and so has a store on
 * Redis; a test passes a runtime that it controls.
 *
 * <p>
 * Times are nanoseconds since an arbitrary origin. They may overflow: compare them by
 * their difference. Time never goes back.
 *
 * <p>
 * Implementations are thread-safe.
 *
 * @since 0.1.0
 */
public interface EngineRuntime {

	/**
	 * Returns the current time.
	 * @return nanoseconds since an arbitrary origin
	 */
	long now();

	/**
	 * Returns the time of day, which orders waiting calls of several instances and may
	 * jump.
	 * @return milliseconds since 1970
	 */
	long epochMillis();

	/**
	 * Returns the source of random numbers. They need not be secure.
	 * @return a generator for the calling thread
	 */
	RandomGenerator random();

	/**
	 * Returns a new id that no other instance has.
	 * @return hexadecimal digits
	 */
	String uniqueId();

	/**
	 * Runs a task once at the given time. The task never runs within this call, because
	 * the caller may hold locks that the task needs.
	 * @param task the task
	 * @param time the time to run it; a past time runs it immediately
	 * @return the action that cancels the task, unless it has started
	 */
	Runnable schedule(Runnable task, long time);

	/**
	 * Runs a task once at the given time, unless a future completes before.
	 * @param done the future
	 * @param task the task
	 * @param time the time to run it
	 */
	default void scheduleUnless(CompletableFuture<?> done, Runnable task, long time) {
		Runnable cancel = schedule(task, time);
		done.whenComplete((result, failure) -> cancel.run());
	}

	/**
	 * Runs a task on another thread. A runtime without threads, or at its end, may run it
	 * on the calling thread, which therefore holds no lock that the task needs.
	 * @param work the kind of the task
	 * @param task the task; on other threads, tasks of the kind {@link Work#LISTENER} run
	 * one after the other
	 */
	void execute(Work work, Runnable task);

	/**
	 * Runs a task that blocks until a server answers, on a thread that runs nothing else
	 * meanwhile. Never runs it on the calling thread.
	 * @param thread the name of the thread
	 * @param task the task
	 * @throws RejectedExecutionException after the end of the runtime
	 * @throws OutOfMemoryError if the system refuses a thread
	 */
	void executeBlocking(String thread, Runnable task);

	/**
	 * Waits for a lock until a time.
	 * @param <T> the type of the result
	 * @param future completed with the lock
	 * @param until the time at which the wait ends
	 * @param over called when the time has passed before the future completed, on any
	 * thread
	 * @return the result
	 * @throws InterruptedException if the thread was interrupted
	 * @throws ExecutionException if the future completed exceptionally
	 * @throws TimeoutException if the time passed before the future completed; after
	 * {@code over}
	 */
	<T extends @Nullable Object> T await(CompletableFuture<T> future, long until, Runnable over)
			throws InterruptedException, ExecutionException, TimeoutException;

	/**
	 * Waits for an answer of the store.
	 * @param <T> the type of the answer
	 * @param answer the answer
	 * @param nanos the longest wait in nanoseconds
	 * @return the answer
	 * @throws InterruptedException if the thread was interrupted
	 * @throws ExecutionException if the answer is a failure
	 * @throws TimeoutException if there is no answer in time
	 */
	<T extends @Nullable Object> T awaitAnswer(CompletableFuture<T> answer, long nanos)
			throws InterruptedException, ExecutionException, TimeoutException;

	/**
	 * Pauses the calling thread, or returns earlier, for example after an interrupt.
	 * @param nanos the time in nanoseconds
	 */
	void pause(long nanos);

	/**
	 * A kind of task. None waits for threads that run another kind.
	 */
	enum Work {

		/**
		 * A step of the engine, which blocks if the store does.
		 */
		STEP,

		/**
		 * A renewal, which waits for no other command.
		 */
		RENEWAL,

		/**
		 * Completes a future with dependent actions of a user, or answers another
		 * instance.
		 */
		CALLBACK,

		/**
		 * Calls a listener of a user.
		 */
		LISTENER

	}

}
