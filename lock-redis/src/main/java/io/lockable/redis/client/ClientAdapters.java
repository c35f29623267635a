package io.lockable.redis.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.redis.script.ScriptRunner;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Finds the adapter of a connection factory. Lettuce and Jedis are optional: a connection
 * factory of an absent client cannot exist, so its adapter is not loaded.
 *
 * @since 0.1.0
 */
public final class ClientAdapters {

	private ClientAdapters() {
	}

	/**
	 * Returns the adapter of a connection factory.
	 * @param connectionFactory the connection factory
	 * @return the adapter
	 */
	public static ClientAdapter of(RedisConnectionFactory connectionFactory) {
		Objects.requireNonNull(connectionFactory,
				"'template' must have a connection factory, but has none, which is typical of a mock");
		if (connectionFactory instanceof LettuceConnectionFactory lettuce) {
			return new LettuceAdapter(lettuce);
		}
		return (connectionFactory instanceof JedisConnectionFactory jedis) ? new JedisAdapter(jedis)
				: new OtherClient(connectionFactory);
	}

	/**
	 * Connects to masters with the client, timeouts, credentials and encryption of an
	 * application.
	 * @param like a connection factory of the application
	 * @param addresses the addresses of the masters, each a different server
	 * @return the connections, which the caller must {@linkplain ClientAdapter#disconnect
	 * close}
	 * @throws IllegalArgumentException if an address is invalid or occurs twice, or if
	 * the client cannot connect this way
	 */
	public static List<ClientAdapter> connect(RedisConnectionFactory like, List<String> addresses) {
		ClientAdapter client = of(like);
		List<ClientAdapter> connected = new ArrayList<>();
		try {
			MasterAddress.parse(addresses).forEach((address) -> connected.add(client.connect(address)));
			return connected;
		}
		catch (RuntimeException ex) {
			connected.forEach(ClientAdapter::disconnect);
			throw ex;
		}
	}

	private static final class OtherClient extends ClientAdapter {

		OtherClient(RedisConnectionFactory connectionFactory) {
			super(connectionFactory, Duration.ZERO);
		}

		@Override
		public ScriptRunner runner(String threads, EngineRuntime runtime) {
			return new SpringScriptRunner(connectionFactory(), true, threads, ServerThreads.DEFAULT_THREADS, runtime);
		}

		@Override
		ReplicaConnections replicaConnections(Duration timeout, EngineRuntime runtime) {
			throw new IllegalArgumentException("'acknowledgements' of replicas need Lettuce or Jedis, the client was %s"
				.formatted(connectionFactory().getClass().getName()));
		}

		@Override
		ClientAdapter connect(MasterAddress address) {
			throw new IllegalArgumentException(
					"The connection factory must be of Lettuce or Jedis, was %s: pass a template for each master"
						.formatted(connectionFactory().getClass().getName()));
		}

	}

}
