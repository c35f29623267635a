package io.lockable.redis;

import java.time.Duration;

import io.lockable.test.redis.RedisTestServer;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Connects to a test server, over either client.
 */
enum RedisClients {

	LETTUCE, JEDIS;

	/**
	 * The read timeout of a blocking client, independent of the engine's timeout.
	 */
	private static final Duration BLOCKING_TIMEOUT = Duration.ofSeconds(1);

	StringRedisTemplate connect(RedisTestServer server) {
		return connect(server.host(), server.port());
	}

	StringRedisTemplate connect(String host, int port) {
		return connect(new RedisStandaloneConfiguration(host, port));
	}

	StringRedisTemplate connect(RedisConfiguration servers) {
		return (this == LETTUCE) ? connect(lettuce(servers)) : connect(jedis(servers));
	}

	/**
	 * Connects with a configuration of the test.
	 * @param factory the connection factory, not started yet
	 * @return a template on it
	 */
	static StringRedisTemplate connect(LettuceConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		return new StringRedisTemplate(factory);
	}

	/**
	 * Connects with a configuration of the test.
	 * @param factory the connection factory, not started yet
	 * @return a template on it
	 */
	static StringRedisTemplate connect(JedisConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		return new StringRedisTemplate(factory);
	}

	static void disconnect(StringRedisTemplate template) {
		RedisConnectionFactory factory = template.getRequiredConnectionFactory();
		if (factory instanceof LettuceConnectionFactory lettuce) {
			lettuce.destroy();
		}
		else if (factory instanceof JedisConnectionFactory jedis) {
			jedis.destroy();
		}
	}

	private static LettuceConnectionFactory lettuce(RedisConfiguration servers) {
		LettuceClientConfiguration client = LettuceClientConfiguration.defaultConfiguration();
		return (servers instanceof RedisStandaloneConfiguration standalone)
				? new LettuceConnectionFactory(standalone, client) : new LettuceConnectionFactory(servers, client);
	}

	private static JedisConnectionFactory jedis(RedisConfiguration servers) {
		JedisClientConfiguration client = JedisClientConfiguration.builder()
			.readTimeout(BLOCKING_TIMEOUT)
			.usePooling()
			.build();
		if (servers instanceof RedisSentinelConfiguration sentinel) {
			return new JedisConnectionFactory(sentinel, client);
		}
		if (servers instanceof RedisClusterConfiguration cluster) {
			return new JedisConnectionFactory(cluster, client);
		}
		return new JedisConnectionFactory((RedisStandaloneConfiguration) servers, client);
	}

}
