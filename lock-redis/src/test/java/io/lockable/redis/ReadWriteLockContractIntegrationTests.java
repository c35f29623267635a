package io.lockable.redis;

import io.lockable.store.LockStore;
import io.lockable.test.ReadWriteLockContractTests;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contract of readers and writers, on every deployment of Redis.
 */
@ParameterizedClass
@EnumSource
class ReadWriteLockContractIntegrationTests extends ReadWriteLockContractTests {

	private final RedisDeployment deployment;

	ReadWriteLockContractIntegrationTests(RedisDeployment deployment) {
		this.deployment = deployment;
	}

	@Override
	protected LockStore createStore() {
		return this.deployment.store();
	}

}
