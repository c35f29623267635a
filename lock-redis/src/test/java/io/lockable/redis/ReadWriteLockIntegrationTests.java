package io.lockable.redis;

import io.lockable.store.LockStore;
import io.lockable.test.ReadWriteLockContractTests;
import io.lockable.test.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The contract, for {@link RedisLockStore} over either client.
 */
@ParameterizedClass
@EnumSource
class ReadWriteLockIntegrationTests extends ReadWriteLockContractTests {

	private final StringRedisTemplate template;

	ReadWriteLockIntegrationTests(RedisClients client) {
		this.template = client.connect(RedisServers.shared());
	}

	@Override
	protected LockStore createStore() {
		return new RedisLockStore(this.template);
	}

	@AfterEach
	void disconnect() {
		RedisClients.disconnect(this.template);
	}

}
