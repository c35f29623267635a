package io.lockable.redis;

import io.lockable.store.LockStore;
import io.lockable.test.LockStoreContractTests;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contract of a store, on several masters.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class RedlockStoreContractIntegrationTests extends LockStoreContractTests {

	private final RedlockDeployment deployment;

	RedlockStoreContractIntegrationTests(RedlockDeployment deployment) {
		this.deployment = deployment;
	}

	@Override
	protected LockStore createStore() {
		return this.deployment.store();
	}

}
