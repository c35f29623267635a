package io.lockable.engine;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Runs each task on a new thread. On two cores, the common pool has a single worker, on
 * which tasks that wait for each other never finish.
 */
final class OwnThread {

	private OwnThread() {
	}

	static <T> CompletableFuture<T> supply(Supplier<T> task) {
		return CompletableFuture.supplyAsync(task, OwnThread::execute);
	}

	static CompletableFuture<Void> run(Runnable task) {
		return CompletableFuture.runAsync(task, OwnThread::execute);
	}

	static void execute(Runnable task) {
		Thread thread = new Thread(task, "own-thread");
		thread.setDaemon(true);
		thread.start();
	}

}
