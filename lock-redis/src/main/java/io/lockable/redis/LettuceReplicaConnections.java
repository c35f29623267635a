package io.lockable.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lockable.DurationText;
import io.lockable.LockStoreException;
import io.lockable.redis.LettuceCommand.Sending;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Connections of Lettuce that are kept, as connecting takes long, and of which only one
 * thread at a time has each.
 */
final class LettuceReplicaConnections implements ReplicaConnections {

	/**
	 * How much longer than the server waits for replicas the client waits for the server.
	 */
	private static final Duration MARGIN = Duration.ofSeconds(1);

	private static final int MAX_REPEATS = 5;

	private static final Node ONLY = new Node("", 0);

	private final RedisConnectionFactory connectionFactory;

	private final boolean singleServer;

	private final Duration patience;

	private final Map<Node, Deque<Lane>> idle = new ConcurrentHashMap<>();

	private volatile @Nullable ClusterNodes nodes;

	private volatile boolean closed;

	/**
	 * Creates it without connections.
	 * @param connectionFactory where connections come from
	 * @param singleServer whether it is not a cluster
	 * @param timeout how long the server waits for replicas
	 */
	LettuceReplicaConnections(RedisConnectionFactory connectionFactory, boolean singleServer, Duration timeout) {
		this.connectionFactory = connectionFactory;
		this.singleServer = singleServer;
		this.patience = timeout.plus(MARGIN);
	}

	@Override
	public List<Reply> send(byte[] key, @Nullable Node node, List<byte[][]> commands) {
		Node target = this.singleServer ? ONLY : target(key, node);
		List<Reply> replies = send(target, commands);
		for (int i = 0; i < MAX_REPEATS && replies == null; i++) {
			replies = send(target, commands);
		}
		if (replies == null) {
			throw new LockStoreException("The connection was lost before the replicas answered", null);
		}
		return replies;
	}

	private Node target(byte[] key, @Nullable Node node) {
		if (node != null && !node.host().isEmpty()) {
			return node;
		}
		Node owner = nodes().of(key);
		if (owner == null) {
			refresh(key);
			throw new LockStoreException("Redis failed: no known node of the cluster serves the slot", null, true);
		}
		return (node != null) ? new Node(owner.host(), node.port()) : owner;
	}

	/**
	 * Returns the replies, or {@code null} if Lettuce has reconnected in between, and has
	 * sent again what was not answered.
	 */
	private @Nullable List<Reply> send(Node node, List<byte[][]> commands) {
		Deque<Lane> lanes = this.idle.computeIfAbsent(node, (absent) -> new ConcurrentLinkedDeque<>());
		Lane lane = take(node, lanes);
		boolean reusable = false;
		try {
			List<Sending<List<Object>>> sent = commands.stream().map(LettuceReplicaConnections::sending).toList();
			lane.send(sent);
			List<Reply> replies = sent.stream().map(LettuceReplicaConnections::reply).toList();
			reusable = sent.stream().allMatch(Sending::isSentOnce);
			return reusable ? replies : null;
		}
		finally {
			if (reusable) {
				lanes.addLast(lane);
			}
			else {
				lane.close();
			}
			if (this.closed) {
				close();
			}
		}
	}

	private Lane take(Node node, Deque<Lane> lanes) {
		Lane lane = lanes.pollLast();
		while (lane != null && !lane.connection().isOpen()) {
			// Lettuce would reconnect, but later and later: a new one is there sooner.
			lane.close();
			lane = lanes.pollLast();
		}
		if (lane != null) {
			return lane;
		}
		if (this.closed) {
			throw new LockStoreException("The store is closed", null);
		}
		try {
			return open(node);
		}
		catch (RuntimeException ex) {
			refresh();
			throw ex;
		}
	}

	@SuppressWarnings("unchecked")
	private Lane open(Node node) {
		if (!this.singleServer) {
			nodes().know(node);
		}
		RedisConnection handle = this.connectionFactory.getConnection();
		try {
			// What is pipelined does not go over the connection that is shared.
			handle.openPipeline();
			StatefulConnection<byte[], byte[]> connection = ((AbstractRedisAsyncCommands<byte[], byte[]>) handle
				.getNativeConnection()).getConnection();
			if (!this.singleServer) {
				connection = ((StatefulRedisClusterConnection<byte[], byte[]>) connection).getConnection(node.host(),
						node.port());
			}
			Lane lane = new Lane(handle, connection, connection.getTimeout());
			if (!lane.formerTimeout().isZero() && lane.formerTimeout().compareTo(this.patience) < 0) {
				connection.setTimeout(this.patience);
			}
			return lane;
		}
		catch (Throwable ex) {
			handle.close();
			throw ex;
		}
	}

	private static Sending<List<Object>> sending(byte[][] command) {
		return LettuceCommand.of(CommandType.valueOf(new String(command[0], StandardCharsets.US_ASCII)), new Values(),
				LettuceCommand.arguments().addValues(Arrays.asList(command).subList(1, command.length)));
	}

	private static Reply reply(Sending<List<Object>> sending) {
		CompletionStage<Reply> reply = sending.answer()
			.handle((values, failure) -> new Reply((values != null) ? values : List.of(), failure));
		Reply replied = reply.toCompletableFuture().join();
		Throwable failure = replied.failure();
		if (failure != null && !(failure instanceof RedisCommandExecutionException)) {
			throw RedisFailures.translate(failure);
		}
		return replied;
	}

	private ClusterNodes nodes() {
		ClusterNodes known = this.nodes;
		if (known == null) {
			known = new ClusterNodes(this.connectionFactory);
			this.nodes = known;
		}
		return known;
	}

	@Override
	public void refresh(byte[] key) {
		refresh();
	}

	private void refresh() {
		ClusterNodes known = this.nodes;
		if (known != null) {
			known.refresh();
		}
	}

	@Override
	public void close() {
		this.closed = true;
		for (Deque<Lane> lanes : this.idle.values()) {
			Lane lane = lanes.poll();
			while (lane != null) {
				lane.close();
				lane = lanes.poll();
			}
		}
	}

	/**
	 * A connection.
	 *
	 * @param handle what to close in the end
	 * @param connection the connection to the server or the node
	 * @param formerTimeout its timeout, unless set here
	 */
	private record Lane(RedisConnection handle, StatefulConnection<byte[], byte[]> connection, Duration formerTimeout) {

		void send(List<Sending<List<Object>>> sent) {
			List<RedisCommand<byte[], byte[], ?>> commands = new ArrayList<>();
			sent.forEach((each) -> commands.add(each.answer()));
			this.connection.dispatch(commands);
			Duration timeout = this.connection.getTimeout();
			if (!sent.get(sent.size() - 1)
				.answer()
				.await(timeout.isZero() ? Long.MAX_VALUE : timeout.toNanos(), TimeUnit.NANOSECONDS)) {
				throw new RedisCommandTimeoutException("No answer within " + DurationText.of(timeout));
			}
		}

		void close() {
			if (!this.formerTimeout.equals(this.connection.getTimeout())) {
				// It may be from a pool of the application, and go back there.
				this.connection.setTimeout(this.formerTimeout);
			}
			this.handle.close();
		}

	}

	/**
	 * Reads an integer, a text, or a list of integers.
	 */
	private static final class Values extends CommandOutput<byte[], byte[], List<Object>> {

		Values() {
			super(ByteArrayCodec.INSTANCE, new ArrayList<>());
		}

		/**
		 * Starts anew: half of an answer may have come before a reconnection.
		 */
		@Override
		public void multi(int count) {
			this.output.clear();
		}

		@Override
		public void set(long integer) {
			this.output.add(integer);
		}

		@Override
		public void set(ByteBuffer bytes) {
			this.output.add(ByteArrayCodec.INSTANCE.decodeValue(bytes));
		}

	}

}
