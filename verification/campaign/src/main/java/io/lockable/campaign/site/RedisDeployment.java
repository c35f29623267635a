package io.lockable.campaign.site;

import java.util.List;

import io.lockable.test.redis.RedisTestServer;

/**
 * Redis servers.
 */
public interface RedisDeployment extends Deployment {

	/**
	 * Finds keys without end; the companion keys of a lock expire within minutes.
	 */
	String LASTING = """
			local lasting = {}
			for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
			  local rest = redis.call('PTTL', key)
			  if rest == -1 or rest > 900000 then
			    lasting[#lasting + 1] = key .. ' lives for ' .. rest .. ' ms'
			  end
			end
			return lasting""";

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

	/**
	 * Finds keys that last for too long.
	 * @param server the server
	 * @param pattern the pattern of their names
	 * @return a line for each key
	 */
	static List<String> lasting(RedisTestServer server, String pattern) {
		return server.call("EVAL", LASTING, "0", pattern).lines().filter((line) -> !line.isEmpty()).toList();
	}

	@Override
	default List<String> lasting(String round) {
		return masters().stream().flatMap((server) -> lasting(server, "*" + round + "-*").stream()).toList();
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
