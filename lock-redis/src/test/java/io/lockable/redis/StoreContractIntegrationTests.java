package io.lockable.redis;

import io.lockable.store.SharingLockStore;
import io.lockable.test.SharingLockStoreContractTests;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contract of a store, on every deployment of Redis.
 */
@ParameterizedClass
@EnumSource
class StoreContractIntegrationTests extends SharingLockStoreContractTests {

	private final RedisDeployment deployment;

	StoreContractIntegrationTests(RedisDeployment deployment) {
		this.deployment = deployment;
	}

	@Override
	protected SharingLockStore createStore() {
		return this.deployment.store();
	}

}
