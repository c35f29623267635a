package io.lockable.redis.client;

import java.time.Duration;

import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptRunner;

import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * A connection factory of Jedis.
 */
final class JedisAdapter extends ClientAdapter {

	private final JedisConnectionFactory connectionFactory;

	JedisAdapter(JedisConnectionFactory connectionFactory) {
		super(connectionFactory, connectionFactory.getClientConfiguration().getConnectTimeout(),
				connectionFactory.getSentinelConfiguration(), connectionFactory.getClusterConfiguration(),
				connectionFactory.getStandaloneConfiguration());
		this.connectionFactory = connectionFactory;
	}

	@Override
	public ScriptRunner runner(String threads, EngineRuntime runtime) {
		return new SpringScriptRunner(this.connectionFactory, !isCluster(), threads, connections(), runtime);
	}

	/**
	 * Returns the number of connections in the pool, without the one that the
	 * subscription takes.
	 */
	private int connections() {
		return this.connectionFactory.getClientConfiguration()
			.getPoolConfig()
			.map((pool) -> pool.getMaxTotal() - 1)
			.filter((others) -> others > 0)
			.orElse(ServerThreads.DEFAULT_THREADS);
	}

	@Override
	ReplicaConnections replicaConnections(Duration timeout, EngineRuntime runtime) {
		return new JedisReplicaConnections(this.connectionFactory, timeout);
	}

	@Override
	ClientAdapter connect(MasterAddress address) {
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
	public void checkSubscription(String channel) {
		new JedisSubscriptionTrial(ScriptArguments.bytes(channel)).run(this.connectionFactory);
	}

}
