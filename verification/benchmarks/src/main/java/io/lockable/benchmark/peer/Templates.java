package io.lockable.benchmark.peer;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connections of Spring Data as Spring Boot configures them: Lettuce with one shared
 * connection, Jedis with a pool.
 */
final class Templates {

	// Exceeds the number of threads of any scenario that use Redis concurrently
	private static final int POOL_SIZE = 64;

	private Templates() {
	}

	static LettuceConnectionFactory lettuce(RedisAddress redis) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration(redis));
		// Connecting is not measured, and on a busy machine takes longer than some
		// timeouts
		factory.setEagerInitialization(true);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	static JedisConnectionFactory jedis(RedisAddress redis) {
		GenericObjectPoolConfig<redis.clients.jedis.Connection> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(POOL_SIZE);
		pool.setMaxIdle(POOL_SIZE);
		JedisConnectionFactory factory = new JedisConnectionFactory(configuration(redis),
				JedisClientConfiguration.builder().usePooling().poolConfig(pool).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static RedisStandaloneConfiguration configuration(RedisAddress redis) {
		return new RedisStandaloneConfiguration(redis.host(), redis.port());
	}

}
