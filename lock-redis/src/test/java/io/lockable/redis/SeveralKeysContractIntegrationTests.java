package io.lockable.redis;

import io.lockable.store.LockStore;
import io.lockable.test.SeveralKeysContractTests;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract of a lock of several keys, on every deployment of Redis.
 */
@Tag("deployments")
@Tag("any-jdk")
@ParameterizedClass
@MethodSource("io.lockable.redis.RedisDeployment#tested")
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
