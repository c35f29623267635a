package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockable.DurationText;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisMovedDataException;
import redis.clients.jedis.util.JedisClusterCRC16;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Runs scripts and waits for replicas over Jedis, on the calling thread and a connection
 * of the client's pool, which is nobody else's until it is given back.
 *
 * <p>
 * Jedis reads the answers together, so a refused caller waits for {@code WAIT} too.
 */
final class JedisReplicatedRunner implements ReplicatedRunner {

	private static final int MAX_REDIRECTIONS = 5;

	private final RedisConnectionFactory connectionFactory;

	private final ReplicaQuorum quorum;

	JedisReplicatedRunner(RedisConnectionFactory connectionFactory, ReplicaQuorum quorum) {
		this.connectionFactory = connectionFactory;
		this.quorum = quorum;
		Duration patience = ((JedisConnectionFactory) connectionFactory).getClientConfiguration().getReadTimeout();
		if (!patience.isZero() && patience.compareTo(quorum.timeout()) <= 0) {
			throw new IllegalArgumentException(
					"The replica timeout must be shorter than the read timeout of Jedis, was %s of %s"
						.formatted(DurationText.of(quorum.timeout()), DurationText.of(patience)));
		}
	}

	@Override
	public <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer, Predicate<List<Long>> counts) {
		Call call = new Call(script, keys, arguments, counts);
		try (RedisConnection handle = this.connectionFactory.getConnection()) {
			return CompletableFuture.completedFuture(answer.apply(run(handle.getNativeConnection(), call)));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(RedisFailures.translate(ex));
		}
	}

	@SuppressWarnings("deprecation")
	private List<Long> run(Object client, Call call) {
		if (client instanceof Jedis jedis) {
			try (Pipeline pipeline = jedis.pipelined()) {
				return run(pipeline, call, false);
			}
		}
		if (client instanceof JedisCluster cluster) {
			return runOnCluster(cluster, cluster.getClusterNodes(), cluster::getConnectionFromSlot, call);
		}
		return UnifiedClients.run(this, client, call);
	}

	private List<Long> runOnCluster(UnifiedJedis cluster, Map<String, ConnectionPool> nodes,
			Function<Integer, Connection> connections, Call call) {
		int slot = JedisClusterCRC16.getSlot(call.key());
		ConnectionPool importing = null;
		for (int redirections = 0;; redirections++) {
			boolean asking = importing != null;
			Connection connection = (importing != null) ? importing.getResource() : connections.apply(slot);
			importing = null;
			try (AbstractPipeline pipeline = new Pipeline(connection, true)) {
				return run(pipeline, call, asking);
			}
			catch (JedisAskDataException ex) {
				refuseEndlessly(redirections, ex);
				importing = nodes.get(ex.getTargetNode().toString());
				if (importing == null) {
					findOwner(cluster, call.key());
				}
			}
			catch (JedisMovedDataException ex) {
				refuseEndlessly(redirections, ex);
				findOwner(cluster, call.key());
			}
			catch (JedisConnectionException ex) {
				findOwner(cluster, call.key());
				throw ex;
			}
		}
	}

	private static void refuseEndlessly(int redirections, JedisDataException redirection) {
		if (redirections >= MAX_REDIRECTIONS) {
			throw redirection;
		}
	}

	/**
	 * Asks for the key in the ordinary way, by which the client learns who has its slot.
	 */
	private static void findOwner(UnifiedJedis cluster, byte[] key) {
		try {
			cluster.exists(key);
		}
		catch (RuntimeException ex) {
			// The next command meets the same failure, and tells it.
		}
	}

	private List<Long> run(AbstractPipeline pipeline, Call call, boolean asking) {
		if (this.quorum.isCountDue()) {
			Response<Object> replication = pipeline.sendCommand(Command.INFO, "replication");
			pipeline.sync();
			this.quorum.counted(new String((byte[]) replication.get(), StandardCharsets.UTF_8));
		}
		try {
			return send(pipeline, call, Command.EVALSHA, call.script().digest(), asking);
		}
		catch (JedisDataException ex) {
			if (!RedisFailures.isUnknownScript(ex)) {
				throw ex;
			}
			return send(pipeline, call, Command.EVAL, call.script().source(), asking);
		}
	}

	private List<Long> send(AbstractPipeline pipeline, Call call, Command command, String script, boolean asking) {
		int needed = this.quorum.needed();
		if (asking) {
			pipeline.sendCommand(new CommandArguments(Command.ASKING));
		}
		Response<Object> answer = pipeline.sendCommand(command, call.withScript(script));
		Response<Object> wait = pipeline.sendCommand(Command.WAIT, Integer.toString(needed),
				Long.toString(this.quorum.timeout().toMillis()));
		try {
			pipeline.sync();
		}
		catch (JedisConnectionException ex) {
			throw this.quorum.unknown(ex);
		}
		List<Long> integers = integers(answer.get());
		if (call.counts(integers)) {
			int acknowledged = ((Long) wait.get()).intValue();
			this.quorum.saw(acknowledged);
			if (acknowledged < needed) {
				throw this.quorum.missing(acknowledged, needed);
			}
		}
		return integers;
	}

	@SuppressWarnings("unchecked")
	private static List<Long> integers(@Nullable Object answer) {
		if (answer instanceof Long integer) {
			return List.of(integer);
		}
		if (answer instanceof List<?> list) {
			return (List<Long>) list;
		}
		throw new IllegalStateException("The script must return integers, was " + answer);
	}

	@Override
	public void close() {
	}

	/**
	 * The clients that Spring Data Redis 4.1 has. A class of its own, because the Jedis
	 * of older ones does not have them: there only {@link Jedis} and {@link JedisCluster}
	 * are met.
	 */
	private static final class UnifiedClients {

		static List<Long> run(JedisReplicatedRunner runner, Object client, Call call) {
			if (client instanceof RedisClusterClient cluster) {
				return runner.runOnCluster(cluster, cluster.getClusterNodes(), cluster::getConnectionFromSlot, call);
			}
			try (AbstractPipeline pipeline = ((UnifiedJedis) client).pipelined()) {
				return runner.run(pipeline, call, false);
			}
		}

	}

	/**
	 * What to run.
	 */
	private static final class Call {

		private final LuaScript script;

		private final byte[][] keys;

		private final byte[][] arguments;

		private final Predicate<List<Long>> counts;

		/**
		 * Creates a call.
		 * @param script the script
		 * @param keys its keys
		 * @param arguments its arguments
		 * @param counts whether an answer counts only once replicas have it
		 */
		Call(LuaScript script, byte[][] keys, byte[][] arguments, Predicate<List<Long>> counts) {
			this.script = script;
			this.keys = keys;
			this.arguments = arguments;
			this.counts = counts;
		}

		LuaScript script() {
			return this.script;
		}

		byte[] key() {
			return this.keys[0];
		}

		boolean counts(List<Long> integers) {
			return this.counts.test(integers);
		}

		byte[][] withScript(String text) {
			byte[][] all = new byte[2 + this.keys.length + this.arguments.length][];
			all[0] = LockKeys.bytes(text);
			all[1] = LockKeys.bytes(Integer.toString(this.keys.length));
			System.arraycopy(this.keys, 0, all, 2, this.keys.length);
			System.arraycopy(this.arguments, 0, all, 2 + this.keys.length, this.arguments.length);
			return all;
		}

	}

}
