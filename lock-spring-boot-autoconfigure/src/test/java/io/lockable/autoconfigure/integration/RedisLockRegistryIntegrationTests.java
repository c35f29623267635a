package io.lockable.autoconfigure.integration;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.lockable.LockOptions;
import io.lockable.autoconfigure.RedisInstance;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.integration.redis.util.RedisLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that instances with {@link RedisLockRegistry} and instances with this library
 * exclude each other during a migration.
 */
@Tag("any-jdk")
class RedisLockRegistryIntegrationTests {

	private static final String REGISTRY_KEY = "orders";

	private static RedisTestServer server;

	private static RedisInstance instance;

	private RedisLockRegistry old;

	private DistributedLockRegistry ours;

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		instance = RedisInstance.start(server, LockOptions.defaults());
	}

	@AfterAll
	static void stop() {
		instance.close();
		server.close();
	}

	@BeforeEach
	void create() {
		this.old = new RedisLockRegistry(instance.connectionFactory(), REGISTRY_KEY, 60_000);
		this.ours = new DistributedLockRegistry(instance.engine(), REGISTRY_KEY + ':', LockOptions.defaults());
	}

	@AfterEach
	void destroy() {
		this.old.destroy();
	}

	@ParameterizedTest
	@EnumSource(RedisLockRegistry.RedisLockType.class)
	void locksExcludeEachOther(RedisLockRegistry.RedisLockType type) throws Exception {
		this.old.setRedisLockType(type);
		Lock oldLock = this.old.obtain("42");
		Lock ourLock = this.ours.obtain("42");
		oldLock.lock();
		assertThat(ourLock.tryLock()).isFalse();
		assertThat(ourLock.tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
		oldLock.unlock();
		assertThat(ourLock.tryLock()).isTrue();
		assertThat(oldLock.tryLock()).isFalse();
		assertThat(oldLock.tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
		ourLock.unlock();
		assertThat(oldLock.tryLock()).isTrue();
		oldLock.unlock();
		assertThat(server.call("EXISTS", "orders:42")).contains("0");
	}

}
