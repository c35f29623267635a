package io.lockable.redis;

import io.lockable.store.LockStore;
import io.lockable.test.SemaphoreContractTests;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract of a semaphore, on every deployment of Redis.
 */
@Tag("deployments")
@Tag("any-jdk")
@ParameterizedClass
@MethodSource("io.lockable.redis.RedisDeployment#tested")
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
