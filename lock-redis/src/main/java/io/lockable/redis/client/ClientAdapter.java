package io.lockable.redis.client;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

import io.lockable.Internal;
import io.lockable.redis.replication.ReplicaConnections;
import io.lockable.redis.script.ScriptRunner;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * A connection factory with its client-specific behavior: Lettuce, Jedis, or another
 * client. Only the methods that connect send commands.
 *
 * @since 0.1.0
 */
@Internal
public interface ClientAdapter {

	/**
	 * The shortest {@link #connectTimeout}: the client loads its classes on the first
	 * connection.
	 */
	Duration MIN_CONNECT_TIMEOUT = Duration.ofSeconds(2);

	/**
	 * Returns the connection factory.
	 * @return the connection factory
	 */
	RedisConnectionFactory connectionFactory();

	/**
	 * Returns the server configuration: sentinels, a cluster, or a single server.
	 * @return the configuration, or {@code null} if the client does not expose one
	 */
	default @Nullable WithAuthentication servers() {
		return null;
	}

	/**
	 * Returns the configured connect timeout of the client.
	 * @return the timeout
	 */
	default Duration configuredConnectTimeout() {
		return Duration.ZERO;
	}

	/**
	 * Creates a script runner over the client.
	 * @param threads the name of the threads that wait for the answers of a blocking
	 * client; {@code null} if the calling threads wait
	 * @return the runner
	 */
	ScriptRunner runner(@Nullable String threads);

	/**
	 * Creates connections that wait for replicas.
	 * @param timeout the time that the server waits for replicas
	 * @return the connections
	 * @throws IllegalArgumentException if the client's timeouts do not allow such a wait
	 */
	ReplicaConnections replicaConnections(Duration timeout);

	/**
	 * Connects to a master with the timeouts, credentials and encryption of this client.
	 * @param address the address of the master
	 * @return the connection, which the caller must {@linkplain #disconnect() close}
	 * @throws IllegalArgumentException if the client cannot connect this way
	 */
	ClientAdapter connect(MasterAddress address);

	/**
	 * Closes a connection factory that {@link #connect} has created.
	 */
	default void disconnect() {
	}

	/**
	 * Returns the connection factory for a subscription.
	 * @param channel the channel of the subscription
	 * @param closed whether the subscription has been closed
	 * @return the connection factory
	 */
	default RedisConnectionFactory subscriptions(String channel, BooleanSupplier closed) {
		return connectionFactory();
	}

	/**
	 * Subscribes once and disconnects, if the client may be unable to subscribe.
	 * @param channel the channel of the subscription
	 * @throws RuntimeException if the client cannot subscribe
	 */
	default void checkSubscription(String channel) {
	}

	/**
	 * Returns whether the client is connected to a cluster.
	 * @return {@code false} for a single server
	 */
	default boolean isCluster() {
		return servers() instanceof RedisClusterConfiguration;
	}

	/**
	 * Returns whether the client finds the new master after a failover.
	 * @return {@code true} with sentinels or a cluster
	 */
	default boolean failsOver() {
		return isCluster() || servers() instanceof RedisSentinelConfiguration;
	}

	/**
	 * Returns the time limit for the first connection.
	 * @return the connect timeout of the client, or 2 s if that is shorter
	 */
	default Duration connectTimeout() {
		Duration timeout = configuredConnectTimeout();
		return (timeout.compareTo(MIN_CONNECT_TIMEOUT) < 0) ? MIN_CONNECT_TIMEOUT : timeout;
	}

	/**
	 * Returns the addresses of the servers, for operators.
	 * @return the addresses, without credentials
	 */
	default String describe() {
		WithAuthentication servers = servers();
		if (servers instanceof RedisSentinelConfiguration sentinel) {
			NamedNode master = sentinel.getMaster();
			return "Redis master %s of the sentinels %s".formatted((master != null) ? master.getName() : "",
					addresses(sentinel.getSentinels()));
		}
		if (servers instanceof RedisClusterConfiguration cluster) {
			return "Redis Cluster at %s".formatted(addresses(cluster.getClusterNodes()));
		}
		return (servers instanceof RedisStandaloneConfiguration standalone)
				? "Redis at %s:%d".formatted(standalone.getHostName(), standalone.getPort()) : "Redis";
	}

	/**
	 * Returns the first non-null configuration.
	 * @param configurations the configurations
	 * @return the configuration, or {@code null} if all are {@code null}
	 */
	static @Nullable WithAuthentication servers(@Nullable WithAuthentication... configurations) {
		return Arrays.stream(configurations).filter(Objects::nonNull).findFirst().orElse(null);
	}

	private static String addresses(Collection<RedisNode> nodes) {
		return nodes.stream().map((node) -> node.getHost() + ':' + node.getPort()).collect(Collectors.joining(", "));
	}

}
