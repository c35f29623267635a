package io.lockable.postgresql;

import io.lockable.store.LockStore;
import io.lockable.test.SemaphoreContractTests;
import org.junit.jupiter.api.Tag;

/**
 * The contract of semaphores.
 */
@Tag("any-jdk")
class SemaphoreContractIntegrationTests extends SemaphoreContractTests {

	@Override
	protected LockStore createStore() {
		return new PostgresLockStore(PostgresTestServer.shared().pool());
	}

}
