package io.lockable.test;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.lockable.store.Acquisition;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.store.StoredLock;
import io.lockable.test.LockFaults.Command;

/**
 * A {@link FaultyQueueingLockStore} that shares locks.
 */
class FaultySharingLockStore extends FaultyQueueingLockStore implements SharingLockStore {

	private final SharingLockStore delegate;

	FaultySharingLockStore(SharingLockStore delegate, LockFaults faults) {
		super(delegate, faults);
		this.delegate = delegate;
	}

	@Override
	public CompletionStage<Acquisition> acquireShared(String key, String owner, Duration lease, int permits) {
		return take(key, owner, () -> this.delegate.acquireShared(key, owner, lease, permits));
	}

	@Override
	public CompletionStage<Acquisition> acquireSharedOrRecall(String key, String owner, Duration lease, int permits) {
		return take(key, owner, () -> this.delegate.acquireSharedOrRecall(key, owner, lease, permits));
	}

	@Override
	public CompletionStage<Acquisition> enqueueShared(String key, String owner, Duration lease, int permits) {
		return take(key, owner, () -> this.delegate.enqueueShared(key, owner, lease, permits));
	}

	@Override
	public CompletionStage<Acquisition> downgrade(String key, String owner, String successor, Duration lease) {
		return take(key, successor, () -> this.delegate.downgrade(key, owner, successor, lease)).thenApply((answer) -> {
			left(key, owner);
			return answer;
		});
	}

	@Override
	public CompletionStage<Boolean> isShared(String key) {
		return send(Command.LOOK, key, () -> this.delegate.isShared(key));
	}

	/**
	 * The variant that reports holders, as its delegate does.
	 */
	static final class Inspectable extends FaultySharingLockStore implements InspectableLockStore {

		Inspectable(SharingLockStore delegate, LockFaults faults) {
			super(delegate, faults);
		}

		@Override
		public CompletionStage<StoredLock> look(String key) {
			return inspect(key);
		}

	}

}
