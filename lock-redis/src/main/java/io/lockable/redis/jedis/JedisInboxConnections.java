package io.lockable.redis.jedis;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Iterator;
import java.util.Map;
import java.util.function.BooleanSupplier;

import io.lockable.LockStoreException;
import io.lockable.redis.script.ScriptArguments;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;

/**
 * Jedis connections for the subscription to an inbox. Before each subscription, another
 * one is begun and ended, so the server permits both.
 *
 * <p>
 * Spring Data Redis also ends a subscription that the server has refused, by a command on
 * a connection that goes back to the pool. The next command there reads the reply to that
 * one. Here a refused subscription closes its connection, and never reaches Spring Data
 * Redis.
 */
final class JedisInboxConnections implements RedisConnectionFactory {

	private final RedisConnectionFactory connectionFactory;

	private final byte[] channel;

	private final BooleanSupplier closed;

	/**
	 * Creates it without connections.
	 * @param connectionFactory where connections come from
	 * @param channel the channel of the inbox
	 * @param closed whether the inbox is closed: nothing subscribes then
	 */
	JedisInboxConnections(RedisConnectionFactory connectionFactory, String channel, BooleanSupplier closed) {
		this.connectionFactory = connectionFactory;
		this.channel = ScriptArguments.bytes(channel);
		this.closed = closed;
	}

	/**
	 * Connects. The check comes with the subscription: the container holds a lock as it
	 * connects, also while it waits to try again.
	 * @return the connection
	 */
	@Override
	public RedisConnection getConnection() {
		RedisConnection handle = this.connectionFactory.getConnection();
		return (RedisConnection) Proxy.newProxyInstance(RedisConnection.class.getClassLoader(),
				new Class<?>[] { RedisConnection.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("subscribe")) {
						check(handle.getNativeConnection());
						if (this.closed.getAsBoolean()) {
							throw new LockStoreException("The store is closed", null);
						}
					}
					try {
						return method.invoke(handle, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
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
	 * Asks one node of a cluster that can be reached.
	 */
	private void check(Map<String, ConnectionPool> nodes) {
		Iterator<ConnectionPool> left = nodes.values().iterator();
		while (left.hasNext()) {
			try (Connection connection = left.next().getResource()) {
				check(connection);
				return;
			}
			catch (JedisConnectionException ex) {
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
			// It may be subscribed, or have replies to come
			connection.setBroken();
			throw ex;
		}
	}

	@Override
	public RedisClusterConnection getClusterConnection() {
		return this.connectionFactory.getClusterConnection();
	}

	@Override
	public RedisSentinelConnection getSentinelConnection() {
		return this.connectionFactory.getSentinelConnection();
	}

	@Override
	public boolean getConvertPipelineAndTxResults() {
		return this.connectionFactory.getConvertPipelineAndTxResults();
	}

	@Override
	public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException failure) {
		return this.connectionFactory.translateExceptionIfPossible(failure);
	}

	/**
	 * Ends as soon as it has begun.
	 */
	private static final class SubscribeOnce extends BinaryJedisPubSub {

		@Override
		public void onSubscribe(byte[] channel, int count) {
			unsubscribe();
		}

	}

	/**
	 * The clients that Spring Data Redis 4.1 has. A class of its own, because the Jedis
	 * of older ones does not have them.
	 */
	private static final class UnifiedClients {

		static void check(JedisInboxConnections connections, Object client) {
			if (client instanceof RedisClusterClient cluster) {
				connections.check(cluster.getClusterNodes());
			}
			else if (client instanceof RedisClient single) {
				try (Connection connection = single.getPool().getResource()) {
					connections.check(connection);
				}
			}
			else {
				// With sentinels: the pool is out of reach
				((UnifiedJedis) client).subscribe(new SubscribeOnce(), connections.channel);
			}
		}

	}

}
