package io.lockable.redis.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lockable.LockStoreException;

/**
 * Runs blocking commands on threads dedicated to each server. Callers never block, and a
 * hanging server occupies only its own threads.
 *
 * <p>
 * The threads and the queue of each server are bounded. When the queue is full, commands
 * fail at once.
 */
final class ServerThreads {

	/**
	 * The number of threads for each server if the size of the client's pool is unknown.
	 * A pool has eight connections by default, and the subscription takes one.
	 */
	static final int DEFAULT_THREADS = 7;

	private static final int MAX_WAITING = 10_000;

	private static final int IDLE_SECONDS = 30;

	private final String name;

	private final int threads;

	private final Map<Object, ThreadPoolExecutor> pools = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Creates an instance without threads.
	 * @param name the name of the threads
	 * @param threads the maximum number of threads for each server
	 */
	ServerThreads(String name, int threads) {
		this.name = name;
		this.threads = threads;
	}

	/**
	 * Runs a command.
	 * @param server the server; one of a bounded number
	 * @param command sends the command and blocks until the answer; must not throw
	 * @param rejected receives the failure if the command is not run
	 */
	void run(Object server, Runnable command, Consumer<LockStoreException> rejected) {
		try {
			pool(server).execute(command);
		}
		catch (RejectedExecutionException ex) {
			rejected.accept(new LockStoreException(
					this.closed ? "The store is closed" : "Too many commands wait for the server", ex));
		}
	}

	/**
	 * Removes the commands that have waited longest for a thread.
	 * @param server the server
	 * @param limit the maximum number
	 * @return the commands, the oldest first
	 */
	List<Runnable> takeWaiting(Object server, int limit) {
		List<Runnable> taken = new ArrayList<>();
		pool(server).getQueue().drainTo(taken, limit);
		return taken;
	}

	private ThreadPoolExecutor pool(Object server) {
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
	 * Rejects new commands. Commands already sent complete.
	 */
	void close() {
		this.closed = true;
		this.pools.values().forEach(ThreadPoolExecutor::shutdown);
	}

}
