package io.lockable.redis;

import java.time.Duration;

import io.lockable.redis.blocking.SpringScriptRunner;
import io.lockable.redis.client.ClientAdapter;
import io.lockable.redis.client.MasterAddress;
import io.lockable.redis.jedis.JedisAdapter;
import io.lockable.redis.lettuce.LettuceAdapter;
import io.lockable.redis.replication.ReplicaConnections;
import io.lockable.redis.script.ScriptRunner;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Finds the adapter of a connection factory. Lettuce and Jedis are optional: the adapter
 * of a client is loaded only if the client is there.
 */
final class ClientAdapters {

	private static final ClassLoader CLASS_LOADER = ClientAdapters.class.getClassLoader();

	private static final boolean LETTUCE_PRESENT = ClassUtils.isPresent("io.lettuce.core.RedisClient", CLASS_LOADER);

	private static final boolean JEDIS_PRESENT = ClassUtils.isPresent("redis.clients.jedis.Jedis", CLASS_LOADER);

	private ClientAdapters() {
	}

	static ClientAdapter of(RedisConnectionFactory connectionFactory) {
		ClientAdapter adapter = LETTUCE_PRESENT ? LettuceAdapter.of(connectionFactory) : null;
		if (adapter == null && JEDIS_PRESENT) {
			adapter = JedisAdapter.of(connectionFactory);
		}
		return (adapter != null) ? adapter : new OtherClient(connectionFactory);
	}

	private record OtherClient(RedisConnectionFactory connectionFactory) implements ClientAdapter {

		@Override
		public @Nullable WithAuthentication servers() {
			return null;
		}

		@Override
		public Duration configuredConnectTimeout() {
			return Duration.ZERO;
		}

		@Override
		public ScriptRunner runner() {
			return new SpringScriptRunner(this.connectionFactory, true);
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

		@Override
		public void disconnect() {
		}

	}

}
