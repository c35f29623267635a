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
 * The threads of a test, all of which must end.
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
	 * Starts a task on several threads. {@link #join} throws its failures.
	 * @param count the number of threads
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
	 * Throws the failure of a thread that has already failed, so that a test that waits
	 * for all threads reports the reason.
	 * @throws Exception the failure of a task
	 */
	public void check() throws Exception {
		for (Future<?> future : this.work) {
			if (future.isDone()) {
				join(future, 0);
			}
		}
	}

	/**
	 * Waits for all started tasks, and throws the failure of any of them.
	 * @param timeout the longest wait for all of them
	 * @throws Exception the failure of a task
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
	 * The work of a thread.
	 */
	public interface Task {

		/**
		 * Runs the task.
		 * @throws Exception any failure
		 */
		void run() throws Exception;

	}

}
