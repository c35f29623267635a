package io.lockable.redis;

import java.time.Duration;

import io.lockable.test.RedisTestServer;

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
	 * How long a thread waits for an answer over a blocking client, whatever the engine's
	 * timeout.
	 */
	private static final Duration BLOCKING_TIMEOUT = Duration.ofSeconds(1);

	StringRedisTemplate connect(RedisTestServer server) {
		return connect(server.host(), server.port());
	}

	StringRedisTemplate connect(String host, int port) {
		return connect(new RedisStandaloneConfiguration(host, port));
	}

	StringRedisTemplate connect(RedisConfiguration servers) {
		return new StringRedisTemplate((this == LETTUCE) ? lettuce(servers) : jedis(servers));
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

	private static RedisConnectionFactory lettuce(RedisConfiguration servers) {
		LettuceClientConfiguration client = LettuceClientConfiguration.defaultConfiguration();
		LettuceConnectionFactory factory = (servers instanceof RedisStandaloneConfiguration standalone)
				? new LettuceConnectionFactory(standalone, client) : new LettuceConnectionFactory(servers, client);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static RedisConnectionFactory jedis(RedisConfiguration servers) {
		JedisClientConfiguration client = JedisClientConfiguration.builder()
			.readTimeout(BLOCKING_TIMEOUT)
			.usePooling()
			.build();
		JedisConnectionFactory factory;
		if (servers instanceof RedisSentinelConfiguration sentinel) {
			factory = new JedisConnectionFactory(sentinel, client);
		}
		else if (servers instanceof RedisClusterConfiguration cluster) {
			factory = new JedisConnectionFactory(cluster, client);
		}
		else {
			factory = new JedisConnectionFactory((RedisStandaloneConfiguration) servers, client);
		}
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
