package io.lockable.test;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.lockable.store.Acquisition;
import io.lockable.store.Inbox;
import io.lockable.store.QueueingLockStore;

/**
 * A store with queues, without shared locks, which needs confirmation.
 */
final class QueueOnlyStore implements QueueingLockStore {

	private final QueueingLockStore delegate;

	QueueOnlyStore(QueueingLockStore delegate) {
		this.delegate = delegate;
	}

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		return this.delegate.acquire(key, owner, lease);
	}

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return this.delegate.release(key, owner);
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		return this.delegate.extend(key, owner, lease);
	}

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return this.delegate.isLocked(key);
	}

	@Override
	public CompletionStage<?> subscribe(Inbox inbox) {
		return this.delegate.subscribe(inbox);
	}

	@Override
	public boolean needsConfirmation() {
		return true;
	}

	@Override
	public CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair) {
		return this.delegate.enqueue(key, owner, lease, fair);
	}

	@Override
	public CompletionStage<Boolean> withdraw(String key, String owner) {
		return this.delegate.withdraw(key, owner);
	}

	@Override
	public CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease) {
		return this.delegate.transfer(key, owner, successor, lease);
	}

	@Override
	public CompletionStage<Yielded> yieldTurn(String key, String owner, String next, Duration lease) {
		return this.delegate.yieldTurn(key, owner, next, lease);
	}

}
