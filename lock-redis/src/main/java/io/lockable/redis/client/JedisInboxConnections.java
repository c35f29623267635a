package io.lockable.redis.client;

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
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;

/**
 * Jedis connections for the inbox subscription. A trial subscription precedes each real
 * one, to verify that the server permits both commands.
 *
 * <p>
 * Spring Data Redis ends a refused subscription by a command on a connection that returns
 * to the pool. The next command on that connection then reads the wrong reply. Here, a
 * refused trial closes its connection and never reaches Spring Data Redis.
 */
final class JedisInboxConnections implements RedisConnectionFactory {

	private final RedisConnectionFactory connectionFactory;

	private final byte[] channel;

	private final BooleanSupplier closed;

	/**
	 * Creates an instance without connections.
	 * @param connectionFactory the source of connections
	 * @param channel the channel of the inbox
	 * @param closed whether the inbox is closed, after which nothing subscribes
	 */
	JedisInboxConnections(RedisConnectionFactory connectionFactory, String channel, BooleanSupplier closed) {
		this.connectionFactory = connectionFactory;
		this.channel = ScriptArguments.bytes(channel);
		this.closed = closed;
	}

	/**
	 * Connects. Only the subscription is checked.
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
							throw new LockStoreException("The store is closed");
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
				// With sentinels, the pool is inaccessible
				((UnifiedJedis) client).subscribe(new SubscribeOnce(), connections.channel);
			}
		}

	}

}
