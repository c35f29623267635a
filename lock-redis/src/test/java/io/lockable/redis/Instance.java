package io.lockable.redis;

import java.time.Duration;
import java.util.UUID;
import java.util.function.UnaryOperator;

import io.lockable.DistributedLock;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.lockable.test.redis.RedisTestServer;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.awaitility.Awaitility.await;

/**
 * An instance of an application: an engine with its own client.
 *
 * @param template the client
 * @param engine the engine on it
 */
record Instance(StringRedisTemplate template, LockEngine engine) implements AutoCloseable {

	static Instance start(RedisClients client, RedisTestServer server) {
		return start(client, server, (builder) -> builder);
	}

	static Instance start(RedisClients client, RedisTestServer server, UnaryOperator<LockEngine.Builder> settings) {
		return start(client, server.host(), server.port(), settings);
	}

	static Instance start(RedisClients client, String host, int port, UnaryOperator<LockEngine.Builder> settings) {
		Instance instance = unconnected(client, host, port, settings);
		// The first command loads the client's classes, which takes seconds on a busy
		// machine.
		instance.engine.get("connected").isLocked();
		return instance;
	}

	static Instance unconnected(RedisClients client, String host, int port,
			UnaryOperator<LockEngine.Builder> settings) {
		return on(client.connect(host, port), settings);
	}

	/**
	 * Starts an instance on a client, and disconnects the client on close.
	 * @param template the client
	 * @param settings changes to the engine
	 * @return the instance
	 */
	static Instance on(StringRedisTemplate template, UnaryOperator<LockEngine.Builder> settings) {
		LockEngine.Builder builder = LockEngine.builder(new RedisLockStore(template))
			.shutdownTimeout(Duration.ofSeconds(1));
		return new Instance(template, settings.apply(builder).build());
	}

	/**
	 * Returns the unique name of a lock.
	 * @return the name
	 */
	static String newKey() {
		return "lock-" + UUID.randomUUID();
	}

	/**
	 * Returns options to wait for a held lock.
	 * @param wait the wait time
	 * @return the options
	 */
	static LockOptions waiting(Duration wait) {
		return LockOptions.defaults().withWaitTime(wait);
	}

	/**
	 * Waits until owners are queued for a lock.
	 * @param server the server of the lock
	 * @param key the name of the lock
	 * @param count the number of owners
	 */
	static void awaitWaiters(RedisTestServer server, String key, int count) {
		await().atMost(Duration.ofSeconds(60))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.until(() -> server.call("LLEN", "{" + key + "}:queue").equals(Integer.toString(count)));
	}

	DistributedLock get(String key) {
		return this.engine.get(key);
	}

	DistributedLock get(String key, LockOptions options) {
		return this.engine.get(key, options);
	}

	@Override
	public void close() {
		this.engine.close();
		RedisClients.disconnect(this.template);
	}

}
