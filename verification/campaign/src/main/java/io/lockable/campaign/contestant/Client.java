package io.lockable.campaign.contestant;

import java.time.Duration;
import java.util.Locale;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

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
 * The Redis clients of the locks: Lettuce with one shared connection, Jedis with a pool.
 */
enum Client {

	LETTUCE, JEDIS;

	/**
	 * Exceeds the number of threads of a worker that use Redis concurrently.
	 */
	private static final int POOL_SIZE = 16;

	String label() {
		return name().toLowerCase(Locale.ROOT);
	}

	StringRedisTemplate connect(RedisConfiguration servers) {
		return (this == LETTUCE) ? lettuce(servers, Contestant.COMMAND_TIMEOUT) : jedis(servers);
	}

	static StringRedisTemplate lettuce(RedisConfiguration servers, Duration timeout) {
		LettuceClientConfiguration client = LettuceClientConfiguration.builder().commandTimeout(timeout).build();
		LettuceConnectionFactory factory = (servers instanceof RedisStandaloneConfiguration standalone)
				? new LettuceConnectionFactory(standalone, client) : new LettuceConnectionFactory(servers, client);
		factory.afterPropertiesSet();
		factory.start();
		return new StringRedisTemplate(factory);
	}

	private static StringRedisTemplate jedis(RedisConfiguration servers) {
		GenericObjectPoolConfig<redis.clients.jedis.Connection> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(POOL_SIZE);
		pool.setMaxIdle(POOL_SIZE);
		JedisClientConfiguration client = JedisClientConfiguration.builder()
			.readTimeout(Contestant.COMMAND_TIMEOUT)
			.usePooling()
			.poolConfig(pool)
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

}
