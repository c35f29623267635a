package io.lockable.engine.shell;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lockable.store.Acquisition;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.QueueingLockStore;

/**
 * A store that executes a command and delivers its answer only when a test calls it. It
 * executes commands in the order of their sending, as one connection does. Threads may
 * deliver answers at the same time.
 */
final class DeferredStore implements QueueingLockStore {

	private final InMemoryLockStore delegate;

	// Each supplier executes a command, and returns the delivery of its answer.
	private final Queue<Supplier<Runnable>> commands = new ArrayDeque<>();

	DeferredStore(LongSupplier clock) {
		this.delegate = new InMemoryLockStore(clock);
	}

	/**
	 * Executes the oldest command and delivers its answer.
	 * @return whether there was a command
	 */
	boolean answerOne() {
		Runnable delivery;
		synchronized (this) {
			Supplier<Runnable> command = this.commands.poll();
			if (command == null) {
				return false;
			}
			delivery = command.get();
		}
		delivery.run();
		return true;
	}

	void answerAll() {
		boolean answered = true;
		while (answered) {
			answered = answerOne();
		}
	}

	boolean isFree(String key) {
		return !this.delegate.isLocked(key).toCompletableFuture().join();
	}

	private synchronized <T> CompletionStage<T> later(Supplier<CompletionStage<T>> command) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		this.commands.add(() -> {
			T result = command.get().toCompletableFuture().join();
			return () -> answer.complete(result);
		});
		return answer;
	}

	private synchronized void deliverLater(Runnable message) {
		this.commands.add(() -> message);
	}

	@Override
	public CompletionStage<?> subscribe(Inbox inbox) {
		return this.delegate.subscribe(new Inbox() {

			@Override
			public void granted(Grant grant) {
				deliverLater(() -> inbox.granted(grant));
			}

			@Override
			public void resubscribed() {
				deliverLater(inbox::resubscribed);
			}

		});
	}

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		return later(() -> this.delegate.acquire(key, owner, lease));
	}

	@Override
	public CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair) {
		return later(() -> this.delegate.enqueue(key, owner, lease, fair));
	}

	@Override
	public CompletionStage<Boolean> withdraw(String key, String owner) {
		return later(() -> this.delegate.withdraw(key, owner));
	}

	@Override
	public CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease) {
		return later(() -> this.delegate.transfer(key, owner, successor, lease));
	}

	@Override
	public CompletionStage<Yielded> yieldTurn(String key, String owner, String next, Duration lease) {
		return later(() -> this.delegate.yieldTurn(key, owner, next, lease));
	}

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return later(() -> this.delegate.release(key, owner));
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		return later(() -> this.delegate.extend(key, owner, lease));
	}

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return this.delegate.isLocked(key);
	}

}
