package io.lockable.simulation;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * The Redis client of one instance, whose calls block: a connection factory of Spring
 * Data Redis with real connections of Jedis, on simulated sockets.
 */
final class BlockingClient extends JedisConnectionFactory implements RedisClient {

	private final SimulatedPool pool;

	private BlockingClient(SimulatedPool pool) {
		super(new RedisStandaloneConfiguration(), configuration(pool));
		this.pool = pool;
	}

	private BlockingClient(SimulatedPool pool, RedisSentinelConfiguration sentinels) {
		super(sentinels, configuration(pool));
		this.pool = pool;
	}

	/**
	 * Creates a client.
	 * @param actor the instance
	 * @param server the server
	 * @param sentinels the sentinels, if the client finds the new master after a failover
	 * @return the client
	 */
	static BlockingClient of(Actor actor, SimulatedServer server, @Nullable RedisSentinelConfiguration sentinels) {
		SimulatedPool pool = new SimulatedPool(actor, server);
		return (sentinels != null) ? new BlockingClient(pool, sentinels) : new BlockingClient(pool);
	}

	private static JedisClientConfiguration configuration(SimulatedPool pool) {
		GenericObjectPoolConfig<?> config = new GenericObjectPoolConfig<>();
		config.setMaxTotal(pool.size());
		return JedisClientConfiguration.builder().usePooling().poolConfig(config).build();
	}

	// On one connection, as all versions of Spring Data Redis before 4.1 do.
	@Override
	@SuppressWarnings("removal")
	public RedisConnection getConnection() {
		try {
			return new JedisConnection(this.pool.borrow());
		}
		catch (JedisException ex) {
			throw new RedisConnectionFailureException("Cannot get Jedis connection", ex);
		}
	}

	/**
	 * Takes all connections, as the application may.
	 * @param nanos the time after which they are free again
	 */
	void occupy(long nanos) {
		this.pool.occupy(nanos);
	}

	@Override
	public boolean isOpenFor(String text) {
		return this.pool.isOpenFor(text);
	}

}
