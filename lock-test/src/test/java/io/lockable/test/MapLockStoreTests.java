package io.lockable.test;

import io.lockable.store.LockStore;
import org.junit.jupiter.api.Nested;

/**
 * Tests for {@link MapLockStore}: the example of {@code docs/testing.md}.
 */
class MapLockStoreTests {

	// tag::contract[]
	@Nested
	class Store extends LockStoreContractTests {

		private final MapLockStore rows = new MapLockStore();

		@Override
		protected LockStore createStore() {
			return this.rows;
		}

	}

	@Nested
	class Lock extends LockContractTests {

		private final MapLockStore rows = new MapLockStore();

		@Override
		protected LockStore createStore() {
			return this.rows;
		}

	}
	// end::contract[]

	@Nested
	class SeveralKeys extends SeveralKeysContractTests {

		private final MapLockStore rows = new MapLockStore();

		@Override
		protected LockStore createStore() {
			return this.rows;
		}

	}

}
