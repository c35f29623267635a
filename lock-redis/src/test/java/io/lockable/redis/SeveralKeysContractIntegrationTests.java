package io.lockable.redis;

import io.lockable.store.LockStore;
import io.lockable.test.SeveralKeysContractTests;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contract of a lock of several keys, on every deployment of Redis.
 */
@ParameterizedClass
@EnumSource
class SeveralKeysContractIntegrationTests extends SeveralKeysContractTests {

	private final RedisDeployment deployment;

	SeveralKeysContractIntegrationTests(RedisDeployment deployment) {
		this.deployment = deployment;
	}

	@Override
	protected LockStore createStore() {
		return this.deployment.store();
	}

}
