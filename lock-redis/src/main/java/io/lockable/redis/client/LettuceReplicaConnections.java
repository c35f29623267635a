package io.lockable.redis.client;

import java.time.Duration;
import java.util.ArrayList;
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
import io.lettuce.core.protocol.RedisCommand;
import io.lockable.LockStoreException;
import io.lockable.redis.client.ReplicaConnections.Node;
import io.lockable.redis.script.RedisFailures;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Dedicated Lettuce connections. They are pooled, because connecting is slow.
 */
final class LettuceReplicaConnections implements ReplicaConnections {

	// The limits of the client's timeout, beyond the server's wait for replicas. The
	// longest one frees the threads from a server that hangs.
	private static final Duration SHORTEST_MARGIN = Duration.ofSeconds(1);

	private static final Duration LONGEST_MARGIN = Duration.ofSeconds(5);

	private static final int MAX_REPEATS = 5;

	// Represents the only server outside a cluster.
	private static final Node ONLY = new Node("", 0);

	private final LettuceConnectionFactory connectionFactory;

	private final boolean singleServer;

	private final Duration timeout;

	private final Map<Node, Deque<ReplicationConnection>> idle = new ConcurrentHashMap<>();

	// Routes commands if two of them must use the same connection.
	private final ClusterTopology topology;

	private volatile boolean closed;

	/**
	 * Creates an instance without connections.
	 * @param connectionFactory the source of connections
	 * @param singleServer whether the client connects to a single server, not to a
	 * cluster
	 * @param timeout the time that the server waits for replicas
	 * @param topology the nodes of a cluster
	 */
	LettuceReplicaConnections(LettuceConnectionFactory connectionFactory, boolean singleServer, Duration timeout,
			ClusterTopology topology) {
		this.connectionFactory = connectionFactory;
		this.singleServer = singleServer;
		this.timeout = timeout;
		this.topology = topology;
	}

	@Override
	public List<Reply> send(byte[] key, @Nullable Node node, List<byte[][]> commands) {
		Node target = this.singleServer ? ONLY : target(key, node);
		for (int i = 0; i <= MAX_REPEATS; i++) {
			List<Reply> replies = send(target, commands, i == 0);
			if (replies != null) {
				return replies;
			}
		}
		throw new LockStoreException("The connection was lost before the replicas answered");
	}

	private Node target(byte[] key, @Nullable Node node) {
		if (node != null && !node.host().isEmpty()) {
			return node;
		}
		Node owner = this.topology.of(key);
		if (owner == null) {
			refresh(key);
			throw new LockStoreException("Redis failed: no known node of the cluster serves the slot", null, true);
		}
		return (node != null) ? new Node(owner.host(), node.port()) : owner;
	}

	/**
	 * Returns the replies, or {@code null} if Lettuce has reconnected meanwhile and sent
	 * unanswered commands again.
	 */
	private @Nullable List<Reply> send(Node node, List<byte[][]> commands, boolean sentOnce) {
		Deque<ReplicationConnection> idle = this.idle.computeIfAbsent(node, (absent) -> new ConcurrentLinkedDeque<>());
		ReplicationConnection connection = take(node, idle);
		boolean reusable = false;
		try {
			List<LettuceCommand> sent = commands.stream().map(LettuceCommand::of).toList();
			connection.send(sent);
			List<Reply> replies = sent.stream().map((command) -> reply(command, sentOnce)).toList();
			reusable = sent.stream().allMatch(LettuceCommand::isSentOnce);
			return reusable ? replies : null;
		}
		catch (RuntimeException ex) {
			this.topology.refresh();
			throw ex;
		}
		finally {
			if (reusable) {
				idle.addLast(connection);
			}
			else {
				connection.close();
			}
			if (this.closed) {
				close();
			}
		}
	}

	private ReplicationConnection take(Node node, Deque<ReplicationConnection> idle) {
		ReplicationConnection connection = idle.pollLast();
		while (connection != null && !connection.isOpen()) {
			// Lettuce reconnects with growing pauses: a new connection is faster.
			connection.close();
			connection = idle.pollLast();
		}
		if (connection != null) {
			return connection;
		}
		if (this.closed) {
			throw new LockStoreException("The store is closed");
		}
		try {
			if (!this.singleServer) {
				this.topology.know(node);
				this.idle.forEach((other, connections) -> {
					if (!this.topology.serves(other)) {
						close(connections);
					}
				});
			}
			return ReplicationConnection.open(this.connectionFactory, this.singleServer ? null : node, this.timeout);
		}
		catch (RuntimeException ex) {
			this.topology.refresh();
			throw ex;
		}
	}

	private static Reply reply(LettuceCommand command, boolean sentOnce) {
		CompletionStage<Reply> reply = command
			.handle((values, failure) -> new Reply((values != null) ? values : List.of(), failure, sentOnce));
		Reply replied = reply.toCompletableFuture().join();
		Throwable failure = replied.failure();
		if (failure != null && !(failure instanceof RedisCommandExecutionException)) {
			throw RedisFailures.translate(failure);
		}
		return replied;
	}

	@Override
	public void refresh(byte[] key) {
		this.topology.refresh();
	}

	@Override
	public void close() {
		this.closed = true;
		this.idle.values().forEach(LettuceReplicaConnections::close);
	}

	private static void close(Deque<ReplicationConnection> idle) {
		ReplicationConnection connection = idle.poll();
		while (connection != null) {
			connection.close();
			connection = idle.poll();
		}
	}

	/**
	 * A Lettuce connection to one server, used by one thread at a time, so that
	 * {@code WAIT} delays no other command.
	 *
	 * @param handle closes the connection
	 * @param connection the connection
	 * @param formerTimeout its original timeout
	 */
	private record ReplicationConnection(RedisConnection handle, StatefulConnection<byte[], byte[]> connection,
			Duration formerTimeout) {

		/**
		 * Connects. Blocks.
		 * @param connectionFactory the source of connections
		 * @param node the node of a cluster, or {@code null} for a single server
		 * @param replicas the server's wait for replicas
		 * @return the connection
		 */
		@SuppressWarnings("unchecked")
		static ReplicationConnection open(RedisConnectionFactory connectionFactory, @Nullable Node node,
				Duration replicas) {
			RedisConnection handle = connectionFactory.getConnection();
			try {
				// A pipeline does not use the connection that all threads share.
				handle.openPipeline();
				StatefulConnection<byte[], byte[]> connection = ((AbstractRedisAsyncCommands<byte[], byte[]>) handle
					.getNativeConnection()).getConnection();
				if (node != null) {
					connection = ((StatefulRedisClusterConnection<byte[], byte[]>) connection)
						.getConnection(node.host(), node.port());
				}
				Duration formerTimeout = connection.getTimeout();
				connection
					.setTimeout(timeout(formerTimeout, replicas.plus(SHORTEST_MARGIN), replicas.plus(LONGEST_MARGIN)));
				return new ReplicationConnection(handle, connection, formerTimeout);
			}
			catch (Throwable ex) {
				handle.close();
				throw ex;
			}
		}

		private static Duration timeout(Duration configured, Duration shortest, Duration longest) {
			if (configured.isZero() || configured.compareTo(longest) > 0) {
				return longest;
			}
			return (configured.compareTo(shortest) < 0) ? shortest : configured;
		}

		boolean isOpen() {
			return this.connection.isOpen();
		}

		/**
		 * Sends commands together, and blocks until the last one is answered.
		 * @param commands the commands
		 * @throws RedisCommandTimeoutException if the connection's timeout expires first
		 */
		void send(List<LettuceCommand> commands) {
			List<RedisCommand<byte[], byte[], ?>> all = new ArrayList<>(commands);
			this.connection.dispatch(all);
			Duration timeout = this.connection.getTimeout();
			if (!commands.get(commands.size() - 1).await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
				throw new RedisCommandTimeoutException("No answer within " + DurationText.of(timeout));
			}
		}

		void close() {
			// The connection may return to a pool of the application.
			this.connection.setTimeout(this.formerTimeout);
			this.handle.close();
		}

	}

}
