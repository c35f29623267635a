package io.lockable.redis;

import io.lockable.store.SharingLockStore;
import io.lockable.test.RedisServers;
import io.lockable.test.SharingLockStoreContractTests;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The contract of a store, for {@link RedisLockStore} over Jedis.
 */
class JedisRedisLockStoreIntegrationTests extends SharingLockStoreContractTests {

	private static StringRedisTemplate template;

	@BeforeAll
	static void connect() {
		template = RedisClients.JEDIS.connect(RedisServers.shared());
	}

	@AfterAll
	static void disconnect() {
		RedisClients.disconnect(template);
	}

	@Override
	protected SharingLockStore createStore() {
		return new RedisLockStore(template);
	}

}
