package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The threads of a test, which all have to come to an end.
 */
public final class Crew implements AutoCloseable {

	private final ExecutorService threads = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(task, "test-crew");
		thread.setDaemon(true);
		return thread;
	});

	private final List<Future<?>> work = new ArrayList<>();

	public <T> Future<T> start(Callable<T> task) {
		Future<T> future = this.threads.submit(task);
		this.work.add(future);
		return future;
	}

	/**
	 * Starts a task whose outcome nobody asks for before {@link #join}.
	 * @param count how many threads to run it on
	 * @param task the task
	 */
	public void startAll(int count, Task task) {
		for (int i = 0; i < count; i++) {
			start(() -> {
				task.run();
				return Boolean.TRUE;
			});
		}
	}

	/**
	 * Throws what a thread has already failed with, so that a test that waits for all
	 * threads says why one of them does not come.
	 * @throws Exception what a task threw
	 */
	public void check() throws Exception {
		for (Future<?> future : this.work) {
			if (future.isDone()) {
				join(future, 0);
			}
		}
	}

	/**
	 * Waits for everything started, and throws what any of it threw.
	 * @param timeout how long to wait for all of it
	 * @throws Exception what a task threw
	 */
	public void join(Duration timeout) throws Exception {
		long deadline = System.nanoTime() + timeout.toNanos();
		int unfinished = 0;
		for (Future<?> future : this.work) {
			try {
				join(future, Math.max(0, deadline - System.nanoTime()));
			}
			catch (TimeoutException ex) {
				unfinished++;
			}
		}
		this.work.clear();
		if (unfinished > 0) {
			throw new AssertionError(unfinished + " threads were not done after " + timeout);
		}
	}

	private static void join(Future<?> future, long nanos) throws Exception {
		try {
			future.get(nanos, TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			throw new AssertionError("A thread of the test failed", ex.getCause());
		}
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

	/**
	 * What a thread does.
	 */
	public interface Task {

		/**
		 * Runs the task.
		 * @throws Exception whatever goes wrong
		 */
		void run() throws Exception;

	}

}
