package io.lockable.test;

import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;

/**
 * Tests for {@link InMemoryLockStore}, against {@link LockContractTests}.
 */
class InMemoryLockTests extends LockContractTests {

	private final InMemoryLockStore first = new InMemoryLockStore();

	@Override
	protected LockStore createStore() {
		return this.first.peer();
	}

}
