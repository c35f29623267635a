package io.lockable.redis.client;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import java.util.stream.Collectors;

import io.lockable.engine.runtime.EngineRuntime;
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
public abstract class ClientAdapter {

	/**
	 * The shortest {@link #connectTimeout}: the client loads its classes on the first
	 * connection.
	 */
	public static final Duration MIN_CONNECT_TIMEOUT = Duration.ofSeconds(2);

	/**
	 * The maximum number of connections to a server that wait for replicas. Each master
	 * of a cluster has half as many. Over Lettuce, each of them is one more connection to
	 * the cluster.
	 */
	private static final int REPLICA_CONNECTIONS = 4;

	private final RedisConnectionFactory connectionFactory;

	private final Duration connectTimeout;

	private final @Nullable WithAuthentication servers;

	/**
	 * Creates an adapter.
	 * @param connectionFactory the connection factory
	 * @param connectTimeout the configured connect timeout of the client
	 * @param servers the sentinels, the cluster or the single server, of which the first
	 * non-null one counts
	 */
	ClientAdapter(RedisConnectionFactory connectionFactory, Duration connectTimeout,
			@Nullable WithAuthentication... servers) {
		this.connectionFactory = connectionFactory;
		this.connectTimeout = connectTimeout;
		this.servers = Arrays.stream(servers).filter(Objects::nonNull).findFirst().orElse(null);
	}

	/**
	 * Returns the connection factory.
	 * @return the connection factory
	 */
	public RedisConnectionFactory connectionFactory() {
		return this.connectionFactory;
	}

	/**
	 * Creates the script runner of a store.
	 * @param replicas the replicas to wait for, or {@code null}
	 * @param runtime the time and the threads of the store
	 * @return the runner
	 * @throws IllegalArgumentException if the client or its timeouts do not allow to wait
	 * for replicas
	 */
	public ScriptRunner runner(@Nullable ReplicaQuorum replicas, EngineRuntime runtime) {
		ScriptRunner runner = runner("lockable-server", runtime);
		return (replicas == null) ? runner
				: new ReplicatedRunner(runner, replicaConnections(replicas.timeout(), runtime),
						isCluster() ? REPLICA_CONNECTIONS / 2 : REPLICA_CONNECTIONS, replicas, runtime);
	}

	/**
	 * Creates a script runner over the client.
	 * @param threads the name of the threads that wait for the answers of a blocking
	 * client
	 * @param runtime the time and the other threads of the store
	 * @return the runner
	 */
	public abstract ScriptRunner runner(String threads, EngineRuntime runtime);

	/**
	 * Creates connections that wait for replicas.
	 * @param timeout the time that the server waits for replicas
	 * @param runtime the time of the store
	 * @return the connections
	 */
	abstract ReplicaConnections replicaConnections(Duration timeout, EngineRuntime runtime);

	/**
	 * Connects to a single server with the timeouts, credentials and encryption of this
	 * client. The caller {@linkplain #disconnect() closes} the connection.
	 * @param address the address of the server
	 * @return the connection
	 */
	abstract ClientAdapter connect(MasterAddress address);

	/**
	 * Closes a connection factory that {@code ClientAdapters.connect} has created.
	 */
	public void disconnect() {
	}

	/**
	 * Subscribes once and ends that subscription, if a refused subscription leaves the
	 * client in a wrong state.
	 * @param channel the channel of the subscription
	 * @throws RuntimeException if the client cannot subscribe
	 */
	public void checkSubscription(String channel) {
	}

	@Nullable WithAuthentication servers() {
		return this.servers;
	}

	/**
	 * Returns whether the client is connected to a cluster.
	 * @return {@code false} for a single server
	 */
	public boolean isCluster() {
		return this.servers instanceof RedisClusterConfiguration;
	}

	/**
	 * Returns whether the client finds the new master after a failover.
	 * @return {@code true} with sentinels or a cluster
	 */
	public boolean failsOver() {
		return isCluster() || this.servers instanceof RedisSentinelConfiguration;
	}

	/**
	 * Returns the time limit for the first connection.
	 * @return the connect timeout of the client, or 2 s if that is shorter
	 */
	public Duration connectTimeout() {
		return (this.connectTimeout.compareTo(MIN_CONNECT_TIMEOUT) < 0) ? MIN_CONNECT_TIMEOUT : this.connectTimeout;
	}

	/**
	 * Returns the addresses of the servers, for operators.
	 * @return the addresses, without credentials
	 */
	public String describe() {
		if (this.servers instanceof RedisSentinelConfiguration sentinel) {
			NamedNode master = sentinel.getMaster();
			return "Redis master %s of the sentinels %s".formatted((master != null) ? master.getName() : "",
					addresses(sentinel.getSentinels()));
		}
		if (this.servers instanceof RedisClusterConfiguration cluster) {
			return "Redis Cluster at %s".formatted(addresses(cluster.getClusterNodes()));
		}
		return (this.servers instanceof RedisStandaloneConfiguration standalone)
				? "Redis at %s:%d".formatted(standalone.getHostName(), standalone.getPort()) : "Redis";
	}

	private static String addresses(Collection<RedisNode> nodes) {
		return nodes.stream().map((node) -> node.getHost() + ':' + node.getPort()).collect(Collectors.joining(", "));
	}

}
