package io.lockable.postgresql;

import io.lockable.store.LockStore;
import io.lockable.test.LockContractTests;
import org.junit.jupiter.api.Tag;

/**
 * The contract of a lock of one key.
 */
@Tag("any-jdk")
class LockContractIntegrationTests extends LockContractTests {

	@Override
	protected LockStore createStore() {
		return new PostgresLockStore(PostgresTestServer.shared().pool());
	}

}
