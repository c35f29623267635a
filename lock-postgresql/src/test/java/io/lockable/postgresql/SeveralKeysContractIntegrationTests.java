package io.lockable.postgresql;

import io.lockable.store.LockStore;
import io.lockable.test.SeveralKeysContractTests;
import org.junit.jupiter.api.Tag;

/**
 * The contract of a lock of several keys.
 */
@Tag("any-jdk")
class SeveralKeysContractIntegrationTests extends SeveralKeysContractTests {

	@Override
	protected LockStore createStore() {
		return new PostgresLockStore(PostgresTestServer.shared().pool());
	}

}
