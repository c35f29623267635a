package io.lockable.redis.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import io.lockable.LockStoreException;
import io.lockable.redis.script.ScriptCall;

/**
 * Threads dedicated to each server, which send scripts and block until the answers.
 * Callers never block, and a hanging server occupies only its own threads.
 *
 * <p>
 * While all threads of a server wait for answers, scripts queue. The next free thread
 * takes several of them along, so that no script waits for more than the answer to an
 * earlier one. The threads and the queue of each server are bounded. When the queue is
 * full, scripts fail at once.
 *
 * @param <S> a server, one of a bounded number
 */
final class ServerThreads<S> {

	/**
	 * The number of threads for each server if the size of the client's pool is unknown.
	 * A pool has eight connections by default, and the subscription takes one.
	 */
	static final int DEFAULT_THREADS = 7;

	/**
	 * The usual number of scripts that are sent together: few enough that the server
	 * answers others meanwhile.
	 */
	static final int MAX_TOGETHER = 64;

	private static final int MAX_WAITING = 10_000;

	private static final int IDLE_SECONDS = 30;

	private final String name;

	private final int threads;

	private final int together;

	private final BiConsumer<S, List<ScriptCall<?>>> sender;

	private final Map<S, ThreadPoolExecutor> pools = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Creates an instance without threads.
	 * @param name the name of the threads
	 * @param threads the maximum number of threads for each server
	 * @param together the maximum number of scripts that are sent together
	 * @param sender sends scripts and blocks until their answers; if it throws, the
	 * scripts fail
	 */
	ServerThreads(String name, int threads, int together, BiConsumer<S, List<ScriptCall<?>>> sender) {
		this.name = name;
		this.threads = threads;
		this.together = together;
		this.sender = sender;
	}

	/**
	 * Sends a script when a thread is free. Does not block.
	 * @param server the server
	 * @param call the script
	 */
	void run(S server, ScriptCall<?> call) {
		try {
			ThreadPoolExecutor pool = pool(server);
			pool.execute(new Waiting(call, () -> send(server, call, pool)));
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// The system may refuse a thread.
			call.fail(new LockStoreException(
					this.closed ? "The store is closed" : "Too many commands wait for the server", ex));
		}
	}

	private void send(S server, ScriptCall<?> call, ThreadPoolExecutor pool) {
		List<Runnable> others = new ArrayList<>();
		pool.getQueue().drainTo(others, this.together - 1);
		List<ScriptCall<?>> calls = new ArrayList<>();
		calls.add(call);
		others.forEach((other) -> calls.add(((Waiting) other).call()));
		try {
			this.sender.accept(server, calls);
		}
		catch (Throwable ex) {
			// Errors are caught as well: other threads wait for the answers.
			calls.forEach((each) -> each.fail(ex));
		}
	}

	private ThreadPoolExecutor pool(S server) {
		ThreadPoolExecutor pool = this.pools.computeIfAbsent(server, (absent) -> create());
		if (this.closed) {
			pool.shutdown();
		}
		return pool;
	}

	private ThreadPoolExecutor create() {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(this.threads, this.threads, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(MAX_WAITING), (task) -> {
					Thread thread = new Thread(task, this.name);
					thread.setDaemon(true);
					return thread;
				});
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	/**
	 * Rejects new scripts. Scripts already sent complete.
	 */
	void close() {
		this.closed = true;
		this.pools.values().forEach(ThreadPoolExecutor::shutdown);
	}

	/**
	 * A script that waits for a thread.
	 *
	 * @param call the script
	 * @param sending sends it
	 */
	private record Waiting(ScriptCall<?> call, Runnable sending) implements Runnable {

		@Override
		public void run() {
			this.sending.run();
		}

	}

}
