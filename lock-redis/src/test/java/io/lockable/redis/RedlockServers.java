package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.lockable.engine.LockEngine;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Independent masters that one test may kill and pause.
 *
 * @param all the servers
 */
record RedlockServers(List<RedisTestServer> all) implements AutoCloseable {

	static RedlockServers start(int masters, String... settings) {
		return new RedlockServers(
				IntStream.range(0, masters).mapToObj((index) -> RedisServers.start(settings)).toList());
	}

	/**
	 * Starts an instance of an application and opens its connections.
	 * @param client the client
	 * @param timeout the time limit for the answer of one master
	 * @return the instance
	 */
	RedlockInstance instance(RedisClients client, Duration timeout) {
		List<StringRedisTemplate> templates = this.all.stream().map(client::connect).toList();
		// The first command loads the client's classes, which takes seconds on a busy
		// machine.
		templates.forEach((template) -> template.hasKey("connected"));
		RedlockLockStore store = new RedlockLockStore(templates, timeout);
		LockEngine engine = LockEngine.builder(store).shutdownTimeout(Duration.ofSeconds(1)).build();
		// Opens a connection on each thread of a master, if the client needs threads.
		for (int i = 0; i < 10; i++) {
			engine.get("warm-up").isLocked();
		}
		return new RedlockInstance(templates, store, engine);
	}

	RedisTestServer get(int index) {
		return this.all.get(index);
	}

	void first(int count, Consumer<RedisTestServer> fault) {
		this.all.subList(0, count).forEach(fault);
	}

	/**
	 * Counts the masters on which a lock is held.
	 * @param key the lock
	 * @param from the index of the first master to ask
	 * @return the number of masters
	 */
	long lockedFrom(String key, int from) {
		return this.all.stream().skip(from).filter((server) -> !server.call("GET", key).equals("(nil)")).count();
	}

	@Override
	public void close() {
		this.all.forEach(RedisTestServer::close);
	}

	/**
	 * An instance of an application on these masters.
	 *
	 * @param templates its clients
	 * @param store the store
	 * @param engine the engine
	 */
	record RedlockInstance(List<StringRedisTemplate> templates, RedlockLockStore store,
			LockEngine engine) implements AutoCloseable {

		@Override
		public void close() {
			this.engine.close();
			this.templates.forEach(RedisClients::disconnect);
		}

	}

}
