package io.lockable.campaign;

import java.util.List;

import io.lockable.test.redis.RedisTestServer;

/**
 * Searches for keys, one server at a time.
 */
final class ServerKeys {

	private ServerKeys() {
	}

	static List<String> list(RedisTestServer server, String pattern) {
		return server.call("KEYS", pattern).lines().filter((key) -> !key.isEmpty()).toList();
	}

}
