package io.lockable.redis.client;

import java.util.Iterator;
import java.util.Map;

import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A trial subscription over Jedis, which verifies that the server permits both commands.
 *
 * <p>
 * Spring Data Redis ends a refused subscription by a command on a connection that returns
 * to the pool. The next command on that connection then reads the wrong reply. A refused
 * trial closes its connection and never reaches Spring Data Redis.
 *
 * @param channel the channel of the inbox
 */
@SuppressWarnings("ArrayRecordComponent")
record JedisSubscriptionTrial(byte[] channel) {

	/**
	 * Subscribes and unsubscribes.
	 * @param connectionFactory the source of connections
	 * @throws RuntimeException if the server refuses one of the commands
	 */
	void run(RedisConnectionFactory connectionFactory) {
		try (RedisConnection handle = connectionFactory.getConnection()) {
			check(handle.getNativeConnection());
		}
	}

	@SuppressWarnings("deprecation")
	private void check(Object client) {
		if (client instanceof Jedis jedis) {
			check(jedis.getConnection());
		}
		else if (client instanceof JedisCluster cluster) {
			check(cluster.getClusterNodes());
		}
		else {
			UnifiedClients.check(this, client);
		}
	}

	/**
	 * Checks one reachable node of a cluster. The pool of a lost node fails in several
	 * ways; only an error reply of a server ends the search.
	 */
	private void check(Map<String, ConnectionPool> nodes) {
		Iterator<ConnectionPool> left = nodes.values().iterator();
		while (left.hasNext()) {
			try (Connection connection = left.next().getResource()) {
				check(connection);
				return;
			}
			catch (JedisDataException ex) {
				throw ex;
			}
			catch (JedisException ex) {
				if (!left.hasNext()) {
					throw ex;
				}
			}
		}
	}

	private void check(Connection connection) {
		try {
			new SubscribeOnce().proceed(connection, this.channel);
		}
		catch (RuntimeException ex) {
			// The connection may be subscribed, or have pending replies
			connection.setBroken();
			throw ex;
		}
	}

	/**
	 * A subscription that ends as soon as the server has confirmed it.
	 */
	private static final class SubscribeOnce extends BinaryJedisPubSub {

		@Override
		public void onSubscribe(byte[] channel, int count) {
			unsubscribe();
		}

	}

	/**
	 * The client types of Spring Data Redis 4.1. A separate class, because older versions
	 * of Jedis lack these types.
	 */
	private static final class UnifiedClients {

		static void check(JedisSubscriptionTrial trial, Object client) {
			if (client instanceof RedisClusterClient cluster) {
				trial.check(cluster.getClusterNodes());
			}
			else if (client instanceof RedisClient single) {
				try (Connection connection = single.getPool().getResource()) {
					trial.check(connection);
				}
			}
			else {
				// With sentinels, the pool is inaccessible
				((UnifiedJedis) client).subscribe(new SubscribeOnce(), trial.channel);
			}
		}

	}

}
