package io.lockable.simulation.redis;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.lockable.redis.RedisLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.test.RecallingLockStoreContractTests;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The contract of a store on Redis, over real Lettuce on the simulated server.
 */
@Tag("extended")
@Tag("any-jdk")
class SimulatedStoreContractTests extends RecallingLockStoreContractTests {

	private static SimulatedRedisSocket server;

	private final List<LettuceConnectionFactory> connections = new ArrayList<>();

	@BeforeAll
	static void startServer() throws IOException {
		server = new SimulatedRedisSocket();
	}

	@AfterAll
	static void stopServer() throws IOException {
		server.close();
	}

	@Override
	protected SharingLockStore createStore() {
		LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", server.port());
		factory.afterPropertiesSet();
		factory.start();
		this.connections.add(factory);
		return new RedisLockStore(new StringRedisTemplate(factory));
	}

	@AfterEach
	void disconnect() {
		this.connections.forEach(LettuceConnectionFactory::destroy);
	}

}
