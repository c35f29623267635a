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
 * A connection factory, with what depends on its client: Lettuce, Jedis, or another one.
 * No method but those that connect sends anything.
 *
 * @since 0.1.0
 */
@Internal
public interface ClientAdapter {

	/**
	 * The shortest {@link #connectTimeout}: the client loads its classes as it connects
	 * for the first time.
	 */
	Duration MIN_CONNECT_TIMEOUT = Duration.ofSeconds(2);

	/**
	 * Returns the connection factory.
	 * @return the connection factory
	 */
	RedisConnectionFactory connectionFactory();

	/**
	 * Returns the configuration of the servers: one with sentinels, of a cluster, or of a
	 * single server.
	 * @return the configuration, or {@code null} if the client does not give one
	 */
	@Nullable WithAuthentication servers();

	/**
	 * Returns the connect timeout that the client is configured with.
	 * @return the timeout
	 */
	Duration configuredConnectTimeout();

	/**
	 * Creates what runs scripts over the client.
	 * @return the runner
	 */
	ScriptRunner runner();

	/**
	 * Creates connections that wait for replicas.
	 * @param timeout how long the server waits for replicas
	 * @return the connections
	 * @throws IllegalArgumentException if the client cannot wait for replicas that long
	 */
	ReplicaConnections replicaConnections(Duration timeout);

	/**
	 * Connects to a master as this client connects to its own servers: with the same
	 * timeouts, credentials and encryption.
	 * @param address where the master is
	 * @return the connection, to be {@linkplain #disconnect() closed} in the end
	 * @throws IllegalArgumentException if that is not possible
	 */
	ClientAdapter connect(MasterAddress address);

	/**
	 * Closes the connection factory.
	 */
	void disconnect();

	/**
	 * Returns the connection factory to use for a subscription.
	 * @param channel the channel to subscribe to
	 * @param closed whether the subscription is not wanted any more
	 * @return the connection factory
	 */
	default RedisConnectionFactory subscriptions(String channel, BooleanSupplier closed) {
		return connectionFactory();
	}

	/**
	 * Subscribes once and disconnects, if it is doubtful that the client can subscribe.
	 * @param channel the channel to subscribe to
	 * @throws RuntimeException if the client cannot
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
	 * Returns whether the client itself looks for another master when it has lost one.
	 * @return {@code true} with sentinels or a cluster
	 */
	default boolean failsOver() {
		return isCluster() || servers() instanceof RedisSentinelConfiguration;
	}

	/**
	 * Returns how long the first connection may take.
	 * @return the connect timeout of the client, or 2 s if that is shorter
	 */
	default Duration connectTimeout() {
		Duration timeout = configuredConnectTimeout();
		return (timeout.compareTo(MIN_CONNECT_TIMEOUT) < 0) ? MIN_CONNECT_TIMEOUT : timeout;
	}

	/**
	 * Returns where the servers are, for operators.
	 * @return their addresses, without credentials
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
	 * Returns the first configuration that a connection factory has.
	 * @param configurations the configurations
	 * @return the configuration, or {@code null} if there is none
	 */
	static @Nullable WithAuthentication servers(@Nullable WithAuthentication... configurations) {
		return Arrays.stream(configurations).filter(Objects::nonNull).findFirst().orElse(null);
	}

	private static String addresses(Collection<RedisNode> nodes) {
		return nodes.stream().map((node) -> node.getHost() + ':' + node.getPort()).collect(Collectors.joining(", "));
	}

}
