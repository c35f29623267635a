package io.lockable.redis.jedis;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import io.lockable.Internal;
import io.lockable.redis.blocking.SpringScriptRunner;
import io.lockable.redis.client.ClientAdapter;
import io.lockable.redis.client.MasterAddress;
import io.lockable.redis.replication.ReplicaConnections;
import io.lockable.redis.script.ScriptRunner;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * A connection factory of Jedis.
 *
 * @param connectionFactory the connection factory
 * @since 0.1.0
 */
@Internal
public record JedisAdapter(JedisConnectionFactory connectionFactory) implements ClientAdapter {

	@Override
	public @Nullable WithAuthentication servers() {
		JedisConnectionFactory factory = this.connectionFactory;
		return ClientAdapter.servers(factory.getSentinelConfiguration(), factory.getClusterConfiguration(),
				factory.getStandaloneConfiguration());
	}

	@Override
	public Duration configuredConnectTimeout() {
		return this.connectionFactory.getClientConfiguration().getConnectTimeout();
	}

	@Override
	public ScriptRunner runner(@Nullable String threads) {
		return new SpringScriptRunner(this.connectionFactory, !isCluster(), maxCommands(), threads);
	}

	/**
	 * Returns the number of connections in the pool, without the one that the
	 * subscription takes.
	 */
	private int maxCommands() {
		return this.connectionFactory.getClientConfiguration()
			.getPoolConfig()
			.map((pool) -> pool.getMaxTotal() - 1)
			.filter((others) -> others > 0)
			.orElse(SpringScriptRunner.DEFAULT_MAX_COMMANDS);
	}

	@Override
	public ReplicaConnections replicaConnections(Duration timeout) {
		return new JedisReplicaConnections(this.connectionFactory, timeout);
	}

	@Override
	public ClientAdapter connect(MasterAddress address) {
		JedisClientConfiguration client = this.connectionFactory.getClientConfiguration();
		JedisConnectionFactory connected = new JedisConnectionFactory(
				address.configuration(servers(), client.isUseSsl(), this.connectionFactory.getDatabase()), client);
		connected.afterPropertiesSet();
		connected.start();
		return new JedisAdapter(connected);
	}

	@Override
	public void disconnect() {
		this.connectionFactory.destroy();
	}

	@Override
	public RedisConnectionFactory subscriptions(String channel, BooleanSupplier closed) {
		return new JedisInboxConnections(this.connectionFactory, channel, closed);
	}

}
