package io.lockable.redis;

import io.lockable.store.LockStore;
import io.lockable.test.LockContractTests;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contract of the lock of one key, on several masters.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class RedlockLockContractIntegrationTests extends LockContractTests {

	private final RedlockDeployment deployment;

	RedlockLockContractIntegrationTests(RedlockDeployment deployment) {
		this.deployment = deployment;
	}

	@Override
	protected LockStore createStore() {
		return this.deployment.store();
	}

}
