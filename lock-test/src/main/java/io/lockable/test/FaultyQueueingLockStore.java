package io.lockable.test;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.lockable.store.Acquisition;
import io.lockable.store.Grant;
import io.lockable.store.Granted;
import io.lockable.store.Inbox;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.QueueingLockStore;
import io.lockable.store.Recall;
import io.lockable.store.StoredLock;
import io.lockable.test.LockFaults.Command;

/**
 * A {@link FaultyLockStore} with queues.
 */
class FaultyQueueingLockStore extends FaultyLockStore implements QueueingLockStore {

	private final QueueingLockStore delegate;

	FaultyQueueingLockStore(QueueingLockStore delegate, LockFaults faults) {
		super(delegate, faults);
		this.delegate = delegate;
	}

	@Override
	public CompletionStage<?> subscribe(Inbox inbox) {
		return this.delegate.subscribe(new Inbox() {

			@Override
			public void granted(Grant grant) {
				entered(grant.key(), grant.owner());
				inbox.granted(grant);
			}

			@Override
			public void recalled(Recall recall) {
				inbox.recalled(recall);
			}

			@Override
			public void busy(String key, String owner) {
				inbox.busy(key, owner);
			}

			@Override
			public void interrupted() {
				inbox.interrupted();
			}

			@Override
			public void resubscribed() {
				inbox.resubscribed();
			}

		});
	}

	@Override
	public boolean needsConfirmation() {
		return this.delegate.needsConfirmation();
	}

	@Override
	public boolean isNotifying() {
		return this.delegate.isNotifying();
	}

	@Override
	public Duration lookInterval() {
		return this.delegate.lookInterval();
	}

	@Override
	public CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair) {
		return take(key, owner, () -> this.delegate.enqueue(key, owner, lease, fair));
	}

	@Override
	public CompletionStage<Boolean> withdraw(String key, String owner) {
		return send(Command.RELEASE, key, () -> this.delegate.withdraw(key, owner)).thenApply((held) -> {
			left(key, owner);
			return held;
		});
	}

	@Override
	public CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease) {
		return take(key, successor, () -> this.delegate.transfer(key, owner, successor, lease)).thenApply((answer) -> {
			left(key, owner);
			return answer;
		});
	}

	@Override
	public CompletionStage<Yielded> yieldTurn(String key, String owner, String next, Duration lease) {
		return send(Command.RELEASE, key, () -> this.delegate.yieldTurn(key, owner, next, lease))
			.thenApply((yielded) -> {
				left(key, owner);
				if (yielded.next() instanceof Granted) {
					entered(key, next);
				}
				return yielded;
			});
	}

	/**
	 * The variant that reports holders, as its delegate does.
	 */
	static final class Inspectable extends FaultyQueueingLockStore implements InspectableLockStore {

		Inspectable(QueueingLockStore delegate, LockFaults faults) {
			super(delegate, faults);
		}

		@Override
		public CompletionStage<StoredLock> look(String key) {
			return inspect(key);
		}

	}

}
