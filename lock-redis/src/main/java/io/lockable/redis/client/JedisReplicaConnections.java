package io.lockable.redis.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.JedisClusterCRC16;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Connections of the Jedis pool, each borrowed for the duration of one wait.
 */
final class JedisReplicaConnections implements ReplicaConnections {

	private final JedisConnectionFactory connectionFactory;

	/**
	 * Creates an instance without connections.
	 * @param connectionFactory the source of connections
	 * @param timeout the time that the server waits for replicas
	 * @throws IllegalArgumentException if the read timeout of Jedis is too short for this
	 * wait
	 */
	JedisReplicaConnections(JedisConnectionFactory connectionFactory, Duration timeout) {
		this.connectionFactory = connectionFactory;
		Duration patience = connectionFactory.getClientConfiguration().getReadTimeout();
		if (!patience.isZero() && patience.compareTo(timeout) <= 0) {
			throw new IllegalArgumentException(
					"The replica timeout must be shorter than the read timeout of Jedis, was %s of %s"
						.formatted(DurationText.of(timeout), DurationText.of(patience)));
		}
	}

	@Override
	@SuppressWarnings("deprecation")
	public List<Reply> send(byte[] key, @Nullable Node node, List<byte[][]> commands) {
		try (RedisConnection handle = this.connectionFactory.getConnection()) {
			Object client = handle.getNativeConnection();
			if (client instanceof Jedis jedis) {
				try (Pipeline pipeline = jedis.pipelined()) {
					return send(pipeline, commands);
				}
			}
			if (client instanceof JedisCluster cluster) {
				return send(cluster.getClusterNodes(), cluster::getConnectionFromSlot, key, node, commands);
			}
			return UnifiedClients.send(this, client, key, node, commands);
		}
	}

	private List<Reply> send(Map<String, ConnectionPool> nodes, Function<Integer, Connection> connections, byte[] key,
			@Nullable Node node, List<byte[][]> commands) {
		ConnectionPool pool = (node != null) ? nodes.get(node.toString()) : null;
		Connection connection = (pool != null) ? pool.getResource() : connections.apply(JedisClusterCRC16.getSlot(key));
		try (AbstractPipeline pipeline = new Pipeline(connection, true)) {
			return send(pipeline, commands);
		}
		catch (JedisConnectionException ex) {
			refresh(key);
			throw ex;
		}
	}

	private static List<Reply> send(AbstractPipeline pipeline, List<byte[][]> commands) {
		List<Response<Object>> responses = new ArrayList<>();
		for (byte[][] command : commands) {
			responses.add(pipeline.sendCommand(Command.valueOf(new String(command[0], StandardCharsets.US_ASCII)),
					Arrays.copyOfRange(command, 1, command.length)));
		}
		pipeline.sync();
		return responses.stream().map(JedisReplicaConnections::reply).toList();
	}

	private static Reply reply(Response<Object> response) {
		try {
			Object value = response.get();
			return new Reply((value instanceof List<?> list) ? list : List.of(value), null, true);
		}
		catch (JedisDataException ex) {
			return new Reply(List.of(), ex, true);
		}
	}

	/**
	 * Sends an ordinary command for the key, from which the client learns the master of
	 * its slot.
	 */
	@Override
	public void refresh(byte[] key) {
		try (RedisConnection handle = this.connectionFactory.getConnection()) {
			handle.keyCommands().exists(key);
		}
		catch (RuntimeException ex) {
			// The next command throws the same failure.
		}
	}

	@Override
	public void close() {
	}

	/**
	 * The client types of Spring Data Redis 4.1. A separate class, because older versions
	 * of Jedis lack these types and have only {@link Jedis} and {@link JedisCluster}.
	 */
	private static final class UnifiedClients {

		static List<Reply> send(JedisReplicaConnections connections, Object client, byte[] key, @Nullable Node node,
				List<byte[][]> commands) {
			if (client instanceof RedisClusterClient cluster) {
				return connections.send(cluster.getClusterNodes(), cluster::getConnectionFromSlot, key, node, commands);
			}
			try (AbstractPipeline pipeline = ((UnifiedJedis) client).pipelined()) {
				return JedisReplicaConnections.send(pipeline, commands);
			}
		}

	}

}
