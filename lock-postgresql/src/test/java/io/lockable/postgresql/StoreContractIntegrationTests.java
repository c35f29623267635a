package io.lockable.postgresql;

import io.lockable.store.QueueingLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.test.SharingLockStoreContractTests;
import org.junit.jupiter.api.Tag;

/**
 * The contract of a store.
 */
@Tag("any-jdk")
class StoreContractIntegrationTests extends SharingLockStoreContractTests {

	@Override
	protected SharingLockStore createStore() {
		return new PostgresLockStore(PostgresTestServer.shared().pool());
	}

	/**
	 * Only silence identifies a dead waiter. The required silence is longer than a test
	 * can wait.
	 */
	@Override
	protected void closeForSure(QueueingLockStore dead, String... waiters) {
		closeEarly(dead);
		PostgresTestServer.shared()
			.run("UPDATE lockable_waiter SET asked = asked - interval '26 seconds' WHERE key = '%s' AND owner IN ('%s')"
				.formatted(this.key, String.join("', '", waiters)));
	}

}
