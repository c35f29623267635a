package io.lockable.redis;

import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;

/**
 * A test with two instances of an application on one server. A test with a server of its
 * own overrides {@link #close()} to close it last.
 */
abstract class TwoInstances {

	final RedisClients client;

	final RedisTestServer server;

	final Instance one;

	final Instance two;

	final Crew crew = new Crew();

	TwoInstances(RedisClients client, RedisTestServer server) {
		this.client = client;
		this.server = server;
		this.one = Instance.start(client, server);
		this.two = Instance.start(client, server);
	}

	@AfterEach
	void close() {
		this.crew.close();
		this.one.close();
		this.two.close();
	}

}
