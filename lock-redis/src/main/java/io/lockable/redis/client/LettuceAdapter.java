package io.lockable.redis.client;

import java.time.Duration;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptRunner;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A connection factory of Lettuce.
 */
final class LettuceAdapter extends ClientAdapter {

	private final LettuceConnectionFactory connectionFactory;

	LettuceAdapter(LettuceConnectionFactory connectionFactory) {
		super(connectionFactory, connectTimeout(connectionFactory.getClientConfiguration()),
				connectionFactory.getSentinelConfiguration(), connectionFactory.getClusterConfiguration(),
				connectionFactory.getStandaloneConfiguration());
		this.connectionFactory = connectionFactory;
	}

	private static Duration connectTimeout(LettuceClientConfiguration client) {
		return client.getClientOptions()
			.map((options) -> options.getSocketOptions().getConnectTimeout())
			.orElse(SocketOptions.DEFAULT_CONNECT_TIMEOUT_DURATION);
	}

	@Override
	public ScriptRunner runner(String threads, EngineRuntime runtime) {
		return new LettuceScriptRunner(() -> LettucePipeline.on(this.connectionFactory.getConnection()), !isCluster(),
				new ClusterTopology(this.connectionFactory, runtime), runtime);
	}

	@Override
	ReplicaConnections replicaConnections(Duration timeout, EngineRuntime runtime) {
		return new LettuceReplicaConnections(this.connectionFactory, !isCluster(), timeout,
				new ClusterTopology(this.connectionFactory, runtime));
	}

	@Override
	ClientAdapter connect(MasterAddress address) {
		LettuceClientConfiguration client = this.connectionFactory.getClientConfiguration();
		LettuceConnectionFactory connected = new LettuceConnectionFactory(
				address.configuration(servers(), client.isUseSsl(), this.connectionFactory.getDatabase()), client);
		connected.afterPropertiesSet();
		connected.start();
		return new LettuceAdapter(connected);
	}

	@Override
	public void disconnect() {
		this.connectionFactory.destroy();
	}

	/**
	 * Subscribes once if Lettuce chooses between a master and its replicas. Lettuce does
	 * so if it reads from replicas or has a static list of them. With a static list it
	 * cannot subscribe, and the container would log that failure repeatedly.
	 */
	@Override
	public void checkSubscription(String channel) {
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			if (connection instanceof LettuceConnection
					&& connection.getNativeConnection() instanceof AbstractRedisAsyncCommands<?, ?> commands
					&& commands.getConnection() instanceof StatefulRedisMasterReplicaConnection) {
				connection.subscribe((message, pattern) -> {
				}, ScriptArguments.bytes(channel));
			}
		}
	}

}
