package io.lockable.test;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.lockable.store.Acquisition;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.Recall;
import io.lockable.store.RecallingLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.store.StoredLock;

/**
 * A {@link FaultySharingLockStore} with retainable locks.
 */
class FaultyRecallingLockStore extends FaultySharingLockStore implements RecallingLockStore {

	private final RecallingLockStore delegate;

	FaultyRecallingLockStore(SharingLockStore sharing, RecallingLockStore delegate, LockFaults faults) {
		super(sharing, faults);
		this.delegate = delegate;
	}

	@Override
	public String address() {
		return this.delegate.address();
	}

	@Override
	public CompletionStage<Acquisition> acquireOrRecall(String key, String owner, Duration lease) {
		return take(key, owner, () -> this.delegate.acquireOrRecall(key, owner, lease));
	}

	@Override
	public CompletionStage<?> answerBusy(Recall recall) {
		return this.delegate.answerBusy(recall);
	}

	/**
	 * The variant that reports holders, as its delegate does.
	 */
	static final class Inspectable extends FaultyRecallingLockStore implements InspectableLockStore {

		Inspectable(SharingLockStore sharing, RecallingLockStore delegate, LockFaults faults) {
			super(sharing, delegate, faults);
		}

		@Override
		public CompletionStage<StoredLock> look(String key) {
			return inspect(key);
		}

	}

}
