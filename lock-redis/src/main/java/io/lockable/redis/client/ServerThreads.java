package io.lockable.redis.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.lockable.LockStoreException;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.redis.script.ScriptCall;

/**
 * Threads dedicated to each server, which send scripts and block until the answers.
 * Callers never block, and a hanging server occupies only its own threads. The runtime
 * has the threads, which end when no script waits.
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

	private final String name;

	private final int threads;

	private final int together;

	private final BiConsumer<S, List<ScriptCall<?>>> sender;

	private final EngineRuntime runtime;

	private final Map<S, Server> servers = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Creates an instance without threads.
	 * @param name the name of the threads
	 * @param threads the maximum number of threads for each server
	 * @param together the maximum number of scripts that are sent together
	 * @param sender sends scripts and blocks until their answers; if it throws, the
	 * scripts fail
	 * @param runtime has the threads
	 */
	ServerThreads(String name, int threads, int together, BiConsumer<S, List<ScriptCall<?>>> sender,
			EngineRuntime runtime) {
		this.name = name;
		this.threads = threads;
		this.together = together;
		this.sender = sender;
		this.runtime = runtime;
	}

	/**
	 * Sends a script when a thread is free. Does not block.
	 * @param server the server
	 * @param call the script
	 */
	void run(S server, ScriptCall<?> call) {
		if (this.closed) {
			call.fail(new LockStoreException("The store is closed"));
		}
		else {
			this.servers.computeIfAbsent(server, Server::new).run(call);
		}
	}

	/**
	 * Rejects new scripts. Scripts that wait for a thread are still sent.
	 */
	void close() {
		this.closed = true;
	}

	/**
	 * The scripts that wait for a server, and the workers that send them.
	 *
	 * <p>
	 * Invariant: while a script waits, a worker will look at the queue before it ends.
	 */
	private final class Server {

		private final S server;

		private final BlockingQueue<ScriptCall<?>> waiting = new LinkedBlockingQueue<>(MAX_WAITING);

		private final AtomicInteger workers = new AtomicInteger();

		Server(S server) {
			this.server = server;
		}

		void run(ScriptCall<?> call) {
			if (this.waiting.offer(call)) {
				startWorker();
			}
			else {
				call.fail(new LockStoreException("Too many commands wait for the server"));
			}
		}

		private void startWorker() {
			if (!enter()) {
				return;
			}
			try {
				ServerThreads.this.runtime.executeBlocking(ServerThreads.this.name, this::work);
			}
			catch (Throwable ex) {
				// The system may refuse a thread. Other workers send the script.
				if (this.workers.decrementAndGet() == 0) {
					List<ScriptCall<?>> refused = new ArrayList<>();
					this.waiting.drainTo(refused);
					refused.forEach((call) -> call.fail(new LockStoreException("No thread sends the command", ex)));
				}
			}
		}

		private boolean enter() {
			int most = ServerThreads.this.threads;
			return this.workers.getAndUpdate((count) -> Math.min(count + 1, most)) < most;
		}

		private void work() {
			do {
				try {
					sendNext();
				}
				finally {
					this.workers.decrementAndGet();
				}
			}
			while (isNeeded());
		}

		/**
		 * Returns whether this worker has to continue: a script that came after its last
		 * look may have counted on it.
		 */
		private boolean isNeeded() {
			return !this.waiting.isEmpty() && enter();
		}

		private void sendNext() {
			List<ScriptCall<?>> calls = new ArrayList<>();
			if (this.waiting.drainTo(calls, ServerThreads.this.together) > 0) {
				try {
					ServerThreads.this.sender.accept(this.server, calls);
				}
				catch (Throwable ex) {
					// Errors are caught as well: other threads wait for the answers.
					calls.forEach((call) -> call.fail(ex));
				}
			}
		}

	}

}
