package io.lockable.engine;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread that holds the locks of a test. It runs one task after the other.
 */
final class HoldingThread {

	private final ExecutorService executor = Executors.newSingleThreadExecutor();

	<T> CompletableFuture<T> start(Callable<T> task) {
		CompletableFuture<T> result = new CompletableFuture<>();
		this.executor.execute(() -> {
			try {
				result.complete(task.call());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		return result;
	}

	<T> T run(Callable<T> task) {
		return ScriptedInstance.get(start(task));
	}

	CompletableFuture<Boolean> unlock(Lock held) {
		return start(() -> {
			held.unlock();
			return true;
		});
	}

	void end() throws InterruptedException {
		this.executor.shutdownNow();
		assertThat(this.executor.awaitTermination(5, TimeUnit.SECONDS)).isTrue();
	}

}
