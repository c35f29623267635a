package io.lockable.redis;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * What is known of the servers behind a connection factory without connecting.
 */
final class RedisTopology {

	private static final ClassLoader CLASS_LOADER = RedisTopology.class.getClassLoader();

	private static final boolean LETTUCE_PRESENT = ClassUtils.isPresent("io.lettuce.core.RedisClient", CLASS_LOADER);

	private static final boolean JEDIS_PRESENT = ClassUtils.isPresent("redis.clients.jedis.Jedis", CLASS_LOADER);

	private RedisTopology() {
	}

	static boolean isLettuce(RedisConnectionFactory connectionFactory) {
		return LETTUCE_PRESENT && Lettuce.is(connectionFactory);
	}

	static boolean isJedis(RedisConnectionFactory connectionFactory) {
		return JEDIS_PRESENT && Jedis.is(connectionFactory);
	}

	static boolean isCluster(RedisConnectionFactory connectionFactory) {
		return (LETTUCE_PRESENT && Lettuce.isCluster(connectionFactory))
				|| (JEDIS_PRESENT && Jedis.isCluster(connectionFactory));
	}

	// One class for each optional client, so that the other one need not be there.

	private static final class Lettuce {

		static boolean is(RedisConnectionFactory connectionFactory) {
			return connectionFactory instanceof LettuceConnectionFactory;
		}

		static boolean isCluster(RedisConnectionFactory connectionFactory) {
			return connectionFactory instanceof LettuceConnectionFactory lettuce && lettuce.isClusterAware();
		}

	}

	private static final class Jedis {

		static boolean is(RedisConnectionFactory connectionFactory) {
			return connectionFactory instanceof JedisConnectionFactory;
		}

		static boolean isCluster(RedisConnectionFactory connectionFactory) {
			return connectionFactory instanceof JedisConnectionFactory jedis && jedis.isRedisClusterAware();
		}

	}

}
