package io.lockable.redis;

import io.lockable.store.LockStore;
import io.lockable.test.LockContractTests;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract of the lock of one key, on every deployment of Redis.
 */
@Tag("deployments")
@Tag("any-jdk")
@ParameterizedClass
@MethodSource("io.lockable.redis.RedisDeployment#tested")
class LockContractIntegrationTests extends LockContractTests {

	private final RedisDeployment deployment;

	LockContractIntegrationTests(RedisDeployment deployment) {
		this.deployment = deployment;
	}

	@Override
	protected LockStore createStore() {
		return this.deployment.store();
	}

}
