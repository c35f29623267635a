package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.lockable.LockStoreException;

/**
 * Runs the scripts of a runner that blocks on a few threads of its own, so that several
 * servers can be asked at the same time.
 *
 * <p>
 * The threads and what waits for them are bounded: beyond that, scripts fail at once.
 */
final class ThreadedScriptRunner implements ScriptRunner {

	private static final int THREADS = 8;

	private static final int MAX_WAITING = 10_000;

	private static final int IDLE_SECONDS = 30;

	private final ScriptRunner blocking;

	private final ThreadPoolExecutor threads;

	ThreadedScriptRunner(ScriptRunner blocking, String name) {
		this.blocking = blocking;
		this.threads = new ThreadPoolExecutor(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(MAX_WAITING), (task) -> {
					Thread thread = new Thread(task, name);
					thread.setDaemon(true);
					return thread;
				});
		this.threads.allowCoreThreadTimeOut(true);
	}

	@Override
	public <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer) {
		CompletableFuture<T> result = new CompletableFuture<>();
		try {
			this.threads.execute(() -> {
				try {
					this.blocking.run(script, keys, arguments, answer).whenComplete((answered, failure) -> {
						if (failure != null) {
							result.completeExceptionally(failure);
						}
						else {
							result.complete(answered);
						}
					});
				}
				catch (Throwable ex) {
					// Whatever it is: somebody waits for the result.
					result.completeExceptionally(ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			result.completeExceptionally(new LockStoreException(
					this.threads.isShutdown() ? "The store is closed" : "Too many commands wait for the server", ex));
		}
		return result;
	}

	@Override
	public boolean isBlocking() {
		return false;
	}

	@Override
	public boolean isSingleServer() {
		return this.blocking.isSingleServer();
	}

	/**
	 * Lets what was sent come to its end.
	 */
	@Override
	public void close() {
		this.threads.shutdown();
		this.blocking.close();
	}

}
