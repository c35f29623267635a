package io.lockable.simulation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis client of one instance: a connection factory of Spring Data Redis whose
 * connections are simulated below the commands of Lettuce.
 */
final class SimulatedClient extends LettuceConnectionFactory implements RedisClient {

	private final Actor actor;

	private final SimulatedServer server;

	private final List<SimulatedConnection> connections = new ArrayList<>();

	private int created;

	SimulatedClient(Actor actor, SimulatedServer server) {
		super(new RedisStandaloneConfiguration(), LettuceClientConfiguration.defaultConfiguration());
		this.actor = actor;
		this.server = server;
	}

	/**
	 * Creates a client that finds the new master after a failover.
	 * @param actor the instance
	 * @param server the server
	 * @param sentinels the sentinels
	 */
	SimulatedClient(Actor actor, SimulatedServer server, RedisSentinelConfiguration sentinels) {
		super(sentinels, LettuceClientConfiguration.defaultConfiguration());
		this.actor = actor;
		this.server = server;
	}

	@Override
	public RedisConnection getConnection() {
		this.server.scheduler().sleep(1_000_000);
		if (!this.server.isUp()) {
			throw new RedisConnectionFailureException("Unable to connect to Redis");
		}
		return (RedisConnection) Proxy.newProxyInstance(RedisConnection.class.getClassLoader(),
				new Class<?>[] { RedisConnection.class }, new Handle());
	}

	@Override
	public boolean isOpenFor(String text) {
		return this.connections.stream().anyMatch((connection) -> connection.isOpenFor(text));
	}

	/**
	 * One connection of the factory, for commands or for a subscription.
	 */
	private final class Handle implements InvocationHandler {

		private final String name = "%s/%s%d".formatted(SimulatedClient.this.actor,
				SimulatedClient.this.server.prefix(), ++SimulatedClient.this.created);

		private @Nullable Reconnecting connection;

		@Override
		public @Nullable Object invoke(Object proxy, java.lang.reflect.Method method, Object @Nullable [] arguments) {
			return switch (method.getName()) {
				case "getNativeConnection" -> new Commands(open());
				case "subscribe" -> {
					Object[] given = (arguments != null) ? arguments : new Object[0];
					this.connection = new SimulatedSubscription(SimulatedClient.this.actor, SimulatedClient.this.server,
							this.name, (MessageListener) given[0],
							new String(((byte[][]) given[1])[0], StandardCharsets.ISO_8859_1));
					this.connection.connect();
					yield null;
				}
				case "close" -> {
					if (this.connection != null) {
						this.connection.close();
					}
					yield null;
				}
				case "getSubscription" -> (this.connection instanceof SimulatedSubscription) ? Proxy.newProxyInstance(
						Subscription.class.getClassLoader(), new Class<?>[] { Subscription.class }, this) : null;
				case "toString" -> this.name;
				default -> throw new UnsupportedOperationException(method.toString());
			};
		}

		private StatefulConnection<byte[], byte[]> open() {
			SimulatedConnection opened = new SimulatedConnection(SimulatedClient.this.actor,
					SimulatedClient.this.server, this.name);
			this.connection = opened;
			SimulatedClient.this.connections.add(opened);
			opened.connect();
			return opened.asLettuce();
		}

	}

	/**
	 * The commands of a connection, of which only the connection is used.
	 */
	private static final class Commands extends AbstractRedisAsyncCommands<byte[], byte[]> {

		Commands(StatefulConnection<byte[], byte[]> connection) {
			super(connection, ByteArrayCodec.INSTANCE);
		}

	}

}
