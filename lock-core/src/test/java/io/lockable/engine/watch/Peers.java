package io.lockable.engine.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.lockable.engine.inspection.DeadlockAction;
import io.lockable.store.InMemoryLockStore;

/**
 * Instances on the same locks, named {@code app-0}, {@code app-1} and so on, and threads
 * that acquire locks.
 */
final class Peers implements AutoCloseable {

	static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofSeconds(60)).withName("Shop.pay");

	private final List<LockEngine> engines = new ArrayList<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final Queue<LockEvent.Deadlocked> deadlocks = new ConcurrentLinkedQueue<>();

	private volatile String request = null;

	Peers(int count, DeadlockAction action) {
		InMemoryLockStore store = new InMemoryLockStore();
		for (int i = 0; i < count; i++) {
			this.engines.add(LockEngine.builder((i == 0) ? store : store.peer())
				.instance("app-" + i)
				.deadlock(action)
				.requestId(() -> this.request)
				.shutdownTimeout(Duration.ZERO)
				.listener(new LockListener() {

					@Override
					public void onEvent(LockEvent event) {
						if (event instanceof LockEvent.Deadlocked deadlock) {
							Peers.this.deadlocks.add(deadlock);
						}
					}

				})
				.build());
		}
	}

	int size() {
		return this.engines.size();
	}

	/**
	 * Returns the number of waiting calls of all instances.
	 * @return the number
	 */
	int waiting() {
		return this.engines.stream().mapToInt((engine) -> engine.waiting().size()).sum();
	}

	/**
	 * Sets the request id of the following acquisitions.
	 * @param id the id
	 */
	void request(String id) {
		this.request = id;
	}

	LockEngine get(int index) {
		return this.engines.get(index);
	}

	/**
	 * Runs a task on a thread of its own.
	 * @param name the name of the thread
	 * @param task the task
	 * @return completes with the failure of the task, or {@code null}
	 */
	CompletableFuture<Throwable> run(String name, Task task) {
		CompletableFuture<Throwable> ended = new CompletableFuture<>();
		this.threads.execute(() -> {
			Thread.currentThread().setName(name);
			try {
				task.run();
				ended.complete(null);
			}
			catch (Throwable ex) {
				ended.complete(ex);
			}
		});
		return ended;
	}

	List<LockEvent.Deadlocked> deadlocks() {
		return List.copyOf(this.deadlocks);
	}

	@Override
	public void close() throws InterruptedException {
		this.threads.shutdownNow();
		this.engines.forEach(LockEngine::close);
		this.threads.awaitTermination(20, TimeUnit.SECONDS);
	}

	/**
	 * A task that may fail.
	 */
	interface Task {

		void run() throws Exception;

	}

}
