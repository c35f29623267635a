package io.lockable.harness.peer;

import java.util.Locale;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The clients, connected as Spring Boot does it.
 */
public enum Client {

	/**
	 * Lettuce, with one shared connection.
	 */
	LETTUCE,

	/**
	 * Jedis, with a pool of connections.
	 */
	JEDIS;

	/**
	 * Returns the name on the command line and in the report.
	 * @return the name
	 */
	public String label() {
		return name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Connects.
	 * @param setup the settings
	 * @return the template
	 */
	public StringRedisTemplate connect(Setup setup) {
		return new StringRedisTemplate((this == LETTUCE) ? lettuce(setup) : jedis(setup));
	}

	private static LettuceConnectionFactory lettuce(Setup setup) {
		LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder();
		if (setup.timeout() != null) {
			client.commandTimeout(setup.timeout());
		}
		LettuceConnectionFactory factory = (setup.servers() instanceof RedisStandaloneConfiguration standalone)
				? new LettuceConnectionFactory(standalone, client.build())
				: new LettuceConnectionFactory(setup.servers(), client.build());
		// On a busy machine, connecting takes longer than some timeouts of a caller
		factory.setEagerInitialization(setup.timeout() == null);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static JedisConnectionFactory jedis(Setup setup) {
		GenericObjectPoolConfig<redis.clients.jedis.Connection> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(setup.connections());
		pool.setMaxIdle(setup.connections());
		JedisClientConfigurationBuilder builder = JedisClientConfiguration.builder();
		if (setup.timeout() != null) {
			builder.readTimeout(setup.timeout());
		}
		JedisClientConfiguration client = builder.usePooling().poolConfig(pool).build();
		JedisConnectionFactory factory;
		if (setup.servers() instanceof RedisSentinelConfiguration sentinel) {
			factory = new JedisConnectionFactory(sentinel, client);
		}
		else if (setup.servers() instanceof RedisClusterConfiguration cluster) {
			factory = new JedisConnectionFactory(cluster, client);
		}
		else {
			factory = new JedisConnectionFactory((RedisStandaloneConfiguration) setup.servers(), client);
		}
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * Closes all connections of a template.
	 * @param template the template
	 */
	public static void disconnect(StringRedisTemplate template) {
		RedisConnectionFactory factory = template.getRequiredConnectionFactory();
		if (factory instanceof LettuceConnectionFactory lettuce) {
			lettuce.destroy();
		}
		else if (factory instanceof JedisConnectionFactory jedis) {
			jedis.destroy();
		}
	}

}
