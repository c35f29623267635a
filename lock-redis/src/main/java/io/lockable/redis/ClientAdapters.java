package io.lockable.redis;

import java.time.Duration;
import java.util.Objects;

import io.lockable.redis.blocking.SpringScriptRunner;
import io.lockable.redis.client.ClientAdapter;
import io.lockable.redis.client.MasterAddress;
import io.lockable.redis.jedis.JedisAdapter;
import io.lockable.redis.lettuce.LettuceAdapter;
import io.lockable.redis.replication.ReplicaConnections;
import io.lockable.redis.replication.ReplicaQuorum;
import io.lockable.redis.replication.ReplicatedRunner;
import io.lockable.redis.script.ScriptRunner;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Finds the adapter of a connection factory, and creates its script runner. Lettuce and
 * Jedis are optional: a connection factory of an absent client cannot exist, so its
 * adapter is not loaded.
 */
final class ClientAdapters {

	/**
	 * The maximum number of connections to a server that wait for replicas. Each master
	 * of a cluster has half as many. Over Lettuce, each of them is one more connection to
	 * the cluster.
	 */
	private static final int REPLICA_CONNECTIONS = 4;

	private ClientAdapters() {
	}

	static ClientAdapter of(RedisConnectionFactory connectionFactory) {
		Objects.requireNonNull(connectionFactory,
				"'template' must have a connection factory, but has none, which is typical of a mock");
		if (connectionFactory instanceof LettuceConnectionFactory lettuce) {
			return new LettuceAdapter(lettuce);
		}
		return (connectionFactory instanceof JedisConnectionFactory jedis) ? new JedisAdapter(jedis)
				: new OtherClient(connectionFactory);
	}

	/**
	 * Creates the script runner of a store. On a cluster and with replicas, callers never
	 * block. A blocking cluster client retries while a master is down, which takes
	 * several times its timeout. On a single server, a blocking client blocks the calling
	 * thread, which costs less.
	 * @param client the client
	 * @param acknowledgements the replicas to wait for
	 * @return the runner
	 */
	static ScriptRunner runner(ClientAdapter client, Acknowledgements acknowledgements) {
		boolean replicated = acknowledgements.from() != Replicas.NONE;
		ScriptRunner runner = client.runner((replicated || client.isCluster()) ? "lockable-server" : null);
		if (!replicated) {
			return runner;
		}
		Duration timeout = acknowledgements.timeout();
		return new ReplicatedRunner(runner, client.replicaConnections(timeout),
				client.isCluster() ? REPLICA_CONNECTIONS / 2 : REPLICA_CONNECTIONS,
				new ReplicaQuorum(acknowledgements.replicas(), acknowledgements.from()::of, timeout));
	}

	private record OtherClient(RedisConnectionFactory connectionFactory) implements ClientAdapter {

		@Override
		public ScriptRunner runner(@Nullable String threads) {
			return new SpringScriptRunner(this.connectionFactory, true, SpringScriptRunner.DEFAULT_MAX_COMMANDS,
					threads);
		}

		@Override
		public ReplicaConnections replicaConnections(Duration timeout) {
			throw new IllegalArgumentException("'acknowledgements' of replicas need Lettuce or Jedis, the client was %s"
				.formatted(this.connectionFactory.getClass().getName()));
		}

		@Override
		public ClientAdapter connect(MasterAddress address) {
			throw new IllegalArgumentException(
					"The connection factory must be of Lettuce or Jedis, was %s: pass a template for each master"
						.formatted(this.connectionFactory.getClass().getName()));
		}

	}

}
