package io.lockable.campaign.site;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lockable.test.redis.RedisTestServer;

/**
 * Redis servers.
 */
public interface RedisDeployment extends Deployment {

	/**
	 * Companion keys of a lock expire within minutes.
	 */
	long LONGEST_MILLIS = TimeUnit.MINUTES.toMillis(15);

	/**
	 * Returns the servers that currently store locks, without those that are down.
	 * @return the masters
	 */
	List<RedisTestServer> masters();

	/**
	 * Returns the keys of a server.
	 * @param server the server
	 * @param pattern the pattern of their names
	 * @return the keys
	 */
	static List<String> keys(RedisTestServer server, String pattern) {
		return server.call("KEYS", pattern).lines().filter((key) -> !key.isEmpty()).toList();
	}

	@Override
	default boolean isLocked(String name) {
		return masters().stream().anyMatch((server) -> !keys(server, name).isEmpty());
	}

	@Override
	default List<String> lasting(String round) {
		List<String> lasting = new ArrayList<>();
		for (RedisTestServer server : masters()) {
			for (String key : keys(server, "*" + round + "-*")) {
				long millis = Long.parseLong(server.call("PTTL", key));
				if (millis == -1 || millis > LONGEST_MILLIS) {
					lasting.add("key %s lives for %d ms".formatted(key, millis));
				}
			}
		}
		return lasting;
	}

	@Override
	default int connections() {
		return masters().stream()
			.mapToInt((server) -> (int) server.call("CLIENT", "LIST", "TYPE", "normal").lines().count())
			.sum();
	}

	@Override
	default int subscriptions() {
		return (int) masters().stream()
			.flatMap((server) -> server.call("PUBSUB", "CHANNELS", "lockable:inbox:????????????????").lines())
			.filter((channel) -> !channel.startsWith("__sentinel__"))
			.count();
	}

}
