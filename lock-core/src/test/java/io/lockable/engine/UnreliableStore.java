package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockable.LockStoreException;
import io.lockable.store.Acquisition;
import io.lockable.store.Grant;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.Inbox;
import io.lockable.store.SharingLockStore;

/**
 * A store behind an unreliable network. Commands arrive in the order of their sending, as
 * on one connection. Some commands and answers are lost, and all answers and grants are
 * late. A grant is lost only with its subscription, which is restored.
 */
final class UnreliableStore implements SharingLockStore {

	private static final int PERCENT = 100;

	private final InMemoryLockStore server;

	private final ScheduledExecutorService connection = Executors.newSingleThreadScheduledExecutor();

	private final ScheduledExecutorService network = Executors.newScheduledThreadPool(2);

	private volatile int lossPercent = 3;

	UnreliableStore(InMemoryLockStore server) {
		this.server = server;
	}

	void becomeReliable() {
		this.lossPercent = 0;
	}

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		return send(() -> this.server.acquire(key, owner, lease));
	}

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return send(() -> this.server.release(key, owner));
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		return send(() -> this.server.extend(key, owner, lease));
	}

	@Override
	public CompletionStage<Boolean> keep(String key, String owner, Duration rest) {
		return send(() -> this.server.keep(key, owner, rest));
	}

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return send(() -> this.server.isLocked(key));
	}

	@Override
	public CompletionStage<?> subscribe(Inbox inbox) {
		return send(() -> this.server.subscribe(new Inbox() {

			@Override
			public void granted(Grant grant) {
				later(isLost() ? inbox::resubscribed : () -> inbox.granted(grant));
			}

			@Override
			public void resubscribed() {
				later(inbox::resubscribed);
			}

		}).thenApply((ok) -> true));
	}

	@Override
	public CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair) {
		return send(() -> this.server.enqueue(key, owner, lease, fair));
	}

	@Override
	public CompletionStage<Boolean> withdraw(String key, String owner) {
		return send(() -> this.server.withdraw(key, owner));
	}

	@Override
	public CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease) {
		return send(() -> this.server.transfer(key, owner, successor, lease));
	}

	@Override
	public CompletionStage<Yielded> yieldTurn(String key, String owner, String next, Duration lease) {
		return send(() -> this.server.yieldTurn(key, owner, next, lease));
	}

	@Override
	public CompletionStage<Acquisition> acquireShared(String key, String owner, Duration lease, int permits) {
		return send(() -> this.server.acquireShared(key, owner, lease, permits));
	}

	@Override
	public CompletionStage<Acquisition> enqueueShared(String key, String owner, Duration lease, int permits) {
		return send(() -> this.server.enqueueShared(key, owner, lease, permits));
	}

	@Override
	public CompletionStage<Acquisition> downgrade(String key, String owner, String successor, Duration lease) {
		return send(() -> this.server.downgrade(key, owner, successor, lease));
	}

	@Override
	public CompletionStage<Boolean> isShared(String key) {
		return send(() -> this.server.isShared(key));
	}

	@Override
	public void close() {
		this.connection.shutdown();
		this.network.shutdown();
	}

	private <T> CompletionStage<T> send(Supplier<CompletionStage<T>> command) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		boolean retryable = ThreadLocalRandom.current().nextBoolean();
		LockStoreException failure = new LockStoreException("The network is bad", null, retryable);
		boolean arrives = !isLost();
		this.connection.execute(() -> {
			if (!arrives) {
				later(() -> answer.completeExceptionally(failure));
				return;
			}
			T value = command.get().toCompletableFuture().join();
			later(isLost() ? () -> answer.completeExceptionally(failure) : () -> answer.complete(value));
		});
		return answer;
	}

	private void later(Runnable delivery) {
		this.network.schedule(delivery, ThreadLocalRandom.current().nextInt(1_000), TimeUnit.MICROSECONDS);
	}

	private boolean isLost() {
		return ThreadLocalRandom.current().nextInt(PERCENT) < this.lossPercent;
	}

}
