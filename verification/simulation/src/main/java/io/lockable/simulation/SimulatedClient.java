package io.lockable.simulation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
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
class SimulatedClient extends LettuceConnectionFactory implements RedisClient {

	private static final List<Duration> TIMEOUTS = List.of(Duration.ofMillis(300), Duration.ofSeconds(2),
			Duration.ofSeconds(60));

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

	/**
	 * Creates a client of a cluster.
	 * @param actor the instance
	 * @param server one of the nodes
	 * @param cluster the cluster
	 */
	SimulatedClient(Actor actor, SimulatedServer server, RedisClusterConfiguration cluster) {
		super(cluster, LettuceClientConfiguration.defaultConfiguration());
		this.actor = actor;
		this.server = server;
	}

	@Override
	public @Nullable AbstractRedisClient getNativeClient() {
		return null;
	}

	Actor actor() {
		return this.actor;
	}

	/**
	 * Returns the server to connect to.
	 * @return the server, or {@code null} while there is none
	 */
	@Nullable SimulatedServer reachable() {
		return this.server.isUp() ? this.server : null;
	}

	@Override
	public RedisConnection getConnection() {
		this.server.scheduler().sleep(1_000_000);
		if (reachable() == null) {
			throw new RedisConnectionFailureException("Unable to connect to Redis");
		}
		return (RedisConnection) Proxy.newProxyInstance(RedisConnection.class.getClassLoader(),
				new Class<?>[] { RedisConnection.class }, new Handle(++this.created));
	}

	@Override
	public boolean isOpenFor(String text) {
		return this.connections.stream().anyMatch((connection) -> connection.isOpenFor(text));
	}

	/**
	 * Opens a connection for commands.
	 * @param handle closes it
	 * @return the connection as Lettuce shows it
	 */
	StatefulConnection<byte[], byte[]> open(Handle handle) {
		SimulatedConnection connection = connect(handle, this.server, this::reachable);
		if (handle.dedicated) {
			connection.dedicate(Dice.of(this.server.seed(), "client timeout of " + this.actor).any(TIMEOUTS));
		}
		return connection.asLettuce();
	}

	/**
	 * Opens a connection to a server.
	 * @param handle closes it
	 * @param to the server
	 * @param found the server while it is reachable, otherwise {@code null}
	 * @return the connection
	 */
	SimulatedConnection connect(Handle handle, SimulatedServer to, Supplier<@Nullable SimulatedServer> found) {
		SimulatedConnection connection = new SimulatedConnection(this.actor, to, found,
				"%s/%s%d".formatted(this.actor, to.prefix(), handle.number));
		this.connections.add(connection);
		handle.opened.add(connection);
		connection.connect();
		return connection;
	}

	/**
	 * Returns what the names of subscriptions start with.
	 * @param first the first server
	 * @return the prefix of the server, unless any server may have the subscription
	 */
	String subscriptionPrefix(SimulatedServer first) {
		return first.prefix();
	}

	/**
	 * One connection of the factory, for commands or for a subscription.
	 */
	final class Handle implements InvocationHandler {

		private final int number;

		private final List<Reconnecting> opened = new ArrayList<>();

		private boolean dedicated;

		private Handle(int number) {
			this.number = number;
		}

		@Override
		public @Nullable Object invoke(Object proxy, java.lang.reflect.Method method, Object @Nullable [] arguments) {
			return switch (method.getName()) {
				case "openPipeline" -> {
					this.dedicated = true;
					yield null;
				}
				case "getNativeConnection" -> new Commands(open(this));
				case "subscribe" -> {
					Object[] given = (arguments != null) ? arguments : new Object[0];
					subscribe((MessageListener) given[0],
							new String(((byte[][]) given[1])[0], StandardCharsets.ISO_8859_1));
					yield null;
				}
				case "close" -> {
					this.opened.forEach(Reconnecting::close);
					yield null;
				}
				case "getSubscription" ->
					this.opened.stream().anyMatch(SimulatedSubscription.class::isInstance) ? Proxy.newProxyInstance(
							Subscription.class.getClassLoader(), new Class<?>[] { Subscription.class }, this) : null;
				case "toString" -> SimulatedClient.this.actor + "/" + this.number;
				default -> throw new UnsupportedOperationException(method.toString());
			};
		}

		private void subscribe(MessageListener listener, String channel) {
			SimulatedServer first = SimulatedClient.this.server;
			SimulatedSubscription subscription = new SimulatedSubscription(SimulatedClient.this.actor, first,
					SimulatedClient.this::reachable,
					"%s/%s%d".formatted(SimulatedClient.this.actor, subscriptionPrefix(first), this.number), listener,
					channel);
			this.opened.add(subscription);
			subscription.connect();
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
