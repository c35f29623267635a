package io.lockable.redis;

import java.util.EnumMap;
import java.util.Map;

import io.lockable.store.LockStore;
import io.lockable.test.RedisServers;
import io.lockable.test.SemaphoreContractTests;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The contract, for {@link RedisLockStore} over either client.
 */
@ParameterizedClass
@EnumSource
class SemaphoreIntegrationTests extends SemaphoreContractTests {

	private static final Map<RedisClients, StringRedisTemplate> TEMPLATES = new EnumMap<>(RedisClients.class);

	private final RedisClients client;

	SemaphoreIntegrationTests(RedisClients client) {
		this.client = client;
	}

	@BeforeAll
	static void connect() {
		for (RedisClients each : RedisClients.values()) {
			TEMPLATES.put(each, each.connect(RedisServers.shared()));
		}
	}

	@AfterAll
	static void disconnect() {
		TEMPLATES.values().forEach(RedisClients::disconnect);
		TEMPLATES.clear();
	}

	@Override
	protected LockStore createStore() {
		return new RedisLockStore(TEMPLATES.get(this.client));
	}

}
