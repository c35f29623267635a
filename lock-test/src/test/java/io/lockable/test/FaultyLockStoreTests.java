package io.lockable.test;

import java.time.Duration;

import io.lockable.store.InMemoryLockStore;
import io.lockable.store.SharingLockStore;

/**
 * Tests that a store keeps its contract while {@link LockFaults} are inactive.
 */
class FaultyLockStoreTests extends SharingLockStoreContractTests {

	private final LockTestClock clock = new LockTestClock();

	private final InMemoryLockStore first = new InMemoryLockStore(() -> System.nanoTime() + this.clock.getAsLong());

	private final LockFaults faults = new LockFaults();

	@Override
	protected SharingLockStore createStore() {
		return (SharingLockStore) this.faults.wrap(this.first.peer());
	}

	@Override
	protected void pass(Duration time) {
		this.clock.advance(time);
	}

}
