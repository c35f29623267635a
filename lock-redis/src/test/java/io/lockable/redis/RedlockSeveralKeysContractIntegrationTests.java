package io.lockable.redis;

import io.lockable.store.LockStore;
import io.lockable.test.SeveralKeysContractTests;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contract of a lock of several keys, on several masters.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class RedlockSeveralKeysContractIntegrationTests extends SeveralKeysContractTests {

	private final RedlockDeployment deployment;

	RedlockSeveralKeysContractIntegrationTests(RedlockDeployment deployment) {
		this.deployment = deployment;
	}

	@Override
	protected LockStore createStore() {
		return this.deployment.store();
	}

}
