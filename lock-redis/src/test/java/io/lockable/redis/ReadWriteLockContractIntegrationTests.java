package io.lockable.redis;

import io.lockable.store.LockStore;
import io.lockable.test.ReadWriteLockContractTests;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract of readers and writers, on every deployment of Redis.
 */
@Tag("deployments")
@Tag("any-jdk")
@ParameterizedClass
@MethodSource("io.lockable.redis.RedisDeployment#tested")
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
