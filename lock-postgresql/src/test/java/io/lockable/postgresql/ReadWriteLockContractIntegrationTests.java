package io.lockable.postgresql;

import io.lockable.store.LockStore;
import io.lockable.test.ReadWriteLockContractTests;
import org.junit.jupiter.api.Tag;

/**
 * The contract of read/write locks.
 */
@Tag("any-jdk")
class ReadWriteLockContractIntegrationTests extends ReadWriteLockContractTests {

	@Override
	protected LockStore createStore() {
		return new PostgresLockStore(PostgresTestServer.shared().pool());
	}

}
