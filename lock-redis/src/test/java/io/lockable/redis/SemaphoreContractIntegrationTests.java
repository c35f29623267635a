package io.lockable.redis;

import io.lockable.store.LockStore;
import io.lockable.test.SemaphoreContractTests;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contract of a semaphore, on every deployment of Redis.
 */
@ParameterizedClass
@EnumSource
class SemaphoreContractIntegrationTests extends SemaphoreContractTests {

	private final RedisDeployment deployment;

	SemaphoreContractIntegrationTests(RedisDeployment deployment) {
		this.deployment = deployment;
	}

	@Override
	protected LockStore createStore() {
		return this.deployment.store();
	}

}
