package io.lockable.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.stream.Collectors;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * What is known of the servers behind a connection factory without asking them.
 */
final class RedisTopology {

	private static final ClassLoader CLASS_LOADER = RedisTopology.class.getClassLoader();

	private static final boolean LETTUCE_PRESENT = ClassUtils.isPresent("io.lettuce.core.RedisClient", CLASS_LOADER);

	private static final boolean JEDIS_PRESENT = ClassUtils.isPresent("redis.clients.jedis.Jedis", CLASS_LOADER);

	/**
	 * How long a client takes at least to connect for the first time: it loads its
	 * classes.
	 */
	private static final Duration MIN_CONNECT_TIMEOUT = Duration.ofSeconds(2);

	private RedisTopology() {
	}

	static boolean isLettuce(RedisConnectionFactory connectionFactory) {
		return LETTUCE_PRESENT && Lettuce.is(connectionFactory);
	}

	static boolean isJedis(RedisConnectionFactory connectionFactory) {
		return JEDIS_PRESENT && Jedis.is(connectionFactory);
	}

	static boolean isCluster(RedisConnectionFactory connectionFactory) {
		if (isLettuce(connectionFactory)) {
			return Lettuce.isCluster(connectionFactory);
		}
		return JEDIS_PRESENT && Jedis.isCluster(connectionFactory);
	}

	/**
	 * Returns whether the client itself looks for another master when it has lost one.
	 * @param connectionFactory the connection factory
	 * @return {@code true} with sentinels or a cluster
	 */
	static boolean failsOver(RedisConnectionFactory connectionFactory) {
		if (isLettuce(connectionFactory)) {
			return Lettuce.failsOver(connectionFactory);
		}
		return isJedis(connectionFactory) && Jedis.failsOver(connectionFactory);
	}

	/**
	 * Returns whether a connection chooses among a master and its replicas. Lettuce does
	 * so where it reads from replicas, or is given both as they are; in the latter case
	 * it cannot subscribe.
	 * @param connection the connection
	 * @return whether it may be unable to subscribe
	 */
	static boolean isMasterReplica(RedisConnection connection) {
		return LETTUCE_PRESENT && Lettuce.isMasterReplica(connection);
	}

	/**
	 * Returns how long the first connection may take.
	 * @param connectionFactory the connection factory
	 * @return the connect timeout of the client, or 2 s if that is shorter or not known
	 */
	static Duration connectTimeout(RedisConnectionFactory connectionFactory) {
		Duration timeout = Duration.ZERO;
		if (isLettuce(connectionFactory)) {
			timeout = Lettuce.connectTimeout(connectionFactory);
		}
		else if (isJedis(connectionFactory)) {
			timeout = Jedis.connectTimeout(connectionFactory);
		}
		return (timeout.compareTo(MIN_CONNECT_TIMEOUT) < 0) ? MIN_CONNECT_TIMEOUT : timeout;
	}

	/**
	 * Returns where the servers are, for the eyes of an operator.
	 * @param connectionFactory the connection factory
	 * @return their addresses, without credentials
	 */
	static String describe(RedisConnectionFactory connectionFactory) {
		if (isLettuce(connectionFactory)) {
			return Lettuce.describe(connectionFactory);
		}
		return isJedis(connectionFactory) ? Jedis.describe(connectionFactory) : "Redis";
	}

	private static String describe(@Nullable RedisSentinelConfiguration sentinel,
			@Nullable RedisClusterConfiguration cluster, @Nullable RedisStandaloneConfiguration standalone) {
		if (sentinel != null) {
			NamedNode master = sentinel.getMaster();
			return "Redis master %s of the sentinels %s".formatted((master != null) ? master.getName() : "",
					addresses(sentinel.getSentinels()));
		}
		if (cluster != null) {
			return "Redis Cluster at %s".formatted(addresses(cluster.getClusterNodes()));
		}
		return (standalone != null) ? "Redis at %s:%d".formatted(standalone.getHostName(), standalone.getPort())
				: "Redis";
	}

	private static String addresses(Collection<RedisNode> nodes) {
		return nodes.stream().map((node) -> node.getHost() + ':' + node.getPort()).collect(Collectors.joining(", "));
	}

	// One class for each optional client, so that the other one need not be there.

	private static final class Lettuce {

		static boolean is(RedisConnectionFactory connectionFactory) {
			return connectionFactory instanceof LettuceConnectionFactory;
		}

		static boolean isCluster(RedisConnectionFactory connectionFactory) {
			return connectionFactory instanceof LettuceConnectionFactory lettuce && lettuce.isClusterAware();
		}

		static String describe(RedisConnectionFactory connectionFactory) {
			LettuceConnectionFactory lettuce = (LettuceConnectionFactory) connectionFactory;
			return RedisTopology.describe(lettuce.getSentinelConfiguration(), lettuce.getClusterConfiguration(),
					lettuce.getStandaloneConfiguration());
		}

		static boolean failsOver(RedisConnectionFactory connectionFactory) {
			LettuceConnectionFactory lettuce = (LettuceConnectionFactory) connectionFactory;
			return lettuce.isRedisSentinelAware() || lettuce.isClusterAware();
		}

		static Duration connectTimeout(RedisConnectionFactory connectionFactory) {
			return ((LettuceConnectionFactory) connectionFactory).getClientConfiguration()
				.getClientOptions()
				.map((options) -> options.getSocketOptions().getConnectTimeout())
				.orElse(SocketOptions.DEFAULT_CONNECT_TIMEOUT_DURATION);
		}

		static boolean isMasterReplica(RedisConnection connection) {
			return connection instanceof LettuceConnection
					&& connection.getNativeConnection() instanceof AbstractRedisAsyncCommands<?, ?> commands
					&& commands.getConnection() instanceof StatefulRedisMasterReplicaConnection;
		}

	}

	private static final class Jedis {

		static boolean is(RedisConnectionFactory connectionFactory) {
			return connectionFactory instanceof JedisConnectionFactory;
		}

		static boolean isCluster(RedisConnectionFactory connectionFactory) {
			return connectionFactory instanceof JedisConnectionFactory jedis && jedis.isRedisClusterAware();
		}

		static boolean failsOver(RedisConnectionFactory connectionFactory) {
			JedisConnectionFactory jedis = (JedisConnectionFactory) connectionFactory;
			return jedis.isRedisSentinelAware() || jedis.isRedisClusterAware();
		}

		static Duration connectTimeout(RedisConnectionFactory connectionFactory) {
			return ((JedisConnectionFactory) connectionFactory).getClientConfiguration().getConnectTimeout();
		}

		static String describe(RedisConnectionFactory connectionFactory) {
			JedisConnectionFactory jedis = (JedisConnectionFactory) connectionFactory;
			return RedisTopology.describe(jedis.getSentinelConfiguration(), jedis.getClusterConfiguration(),
					jedis.getStandaloneConfiguration());
		}

	}

}
