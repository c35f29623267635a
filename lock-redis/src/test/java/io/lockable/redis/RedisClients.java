package io.lockable.redis;

import java.time.Duration;

import io.lockable.test.RedisTestServer;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Connects to a test server, over either client.
 */
enum RedisClients {

	LETTUCE, JEDIS;

	/**
	 * How long a thread waits for an answer over a blocking client, whatever the engine's
	 * timeout.
	 */
	private static final Duration BLOCKING_TIMEOUT = Duration.ofSeconds(1);

	StringRedisTemplate connect(RedisTestServer server) {
		return connect(server.host(), server.port());
	}

	StringRedisTemplate connect(String host, int port) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(host, port);
		return new StringRedisTemplate((this == LETTUCE) ? lettuce(configuration) : jedis(configuration));
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

	private static RedisConnectionFactory lettuce(RedisStandaloneConfiguration configuration) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static RedisConnectionFactory jedis(RedisStandaloneConfiguration configuration) {
		JedisConnectionFactory factory = new JedisConnectionFactory(configuration,
				JedisClientConfiguration.builder().readTimeout(BLOCKING_TIMEOUT).usePooling().build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
