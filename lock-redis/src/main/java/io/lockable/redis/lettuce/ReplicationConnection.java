package io.lockable.redis.lettuce;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.protocol.RedisCommand;
import io.lockable.DurationText;
import io.lockable.redis.replication.ReplicaConnections.Node;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A connection of Lettuce to one server that only one thread at a time uses, so that
 * {@code WAIT} holds up nothing else.
 *
 * @param handle closes the connection
 * @param connection the connection
 * @param formerTimeout its timeout before it was lengthened here
 */
record ReplicationConnection(RedisConnection handle, StatefulConnection<byte[], byte[]> connection,
		Duration formerTimeout) {

	/**
	 * Connects. Blocks.
	 * @param connectionFactory where connections come from
	 * @param node the node of a cluster, or {@code null} for a single server
	 * @param minTimeout the shortest timeout of the connection
	 * @return the connection
	 */
	@SuppressWarnings("unchecked")
	static ReplicationConnection open(RedisConnectionFactory connectionFactory, @Nullable Node node,
			Duration minTimeout) {
		RedisConnection handle = connectionFactory.getConnection();
		try {
			// A pipeline does not use the connection that all threads share.
			handle.openPipeline();
			StatefulConnection<byte[], byte[]> connection = ((AbstractRedisAsyncCommands<byte[], byte[]>) handle
				.getNativeConnection()).getConnection();
			if (node != null) {
				connection = ((StatefulRedisClusterConnection<byte[], byte[]>) connection).getConnection(node.host(),
						node.port());
			}
			Duration timeout = connection.getTimeout();
			if (!timeout.isZero() && timeout.compareTo(minTimeout) < 0) {
				connection.setTimeout(minTimeout);
			}
			return new ReplicationConnection(handle, connection, timeout);
		}
		catch (Throwable ex) {
			handle.close();
			throw ex;
		}
	}

	boolean isOpen() {
		return this.connection.isOpen();
	}

	/**
	 * Sends commands together, and blocks until the last one is answered.
	 * @param commands the commands
	 * @throws RedisCommandTimeoutException if the timeout is over before
	 */
	void send(List<LettuceCommand> commands) {
		List<RedisCommand<byte[], byte[], ?>> all = new ArrayList<>(commands);
		this.connection.dispatch(all);
		Duration timeout = this.connection.getTimeout();
		if (!commands.get(commands.size() - 1)
			.await(timeout.isZero() ? Long.MAX_VALUE : timeout.toNanos(), TimeUnit.NANOSECONDS)) {
			throw new RedisCommandTimeoutException("No answer within " + DurationText.of(timeout));
		}
	}

	void close() {
		if (!this.formerTimeout.equals(this.connection.getTimeout())) {
			// It may return to a pool of the application.
			this.connection.setTimeout(this.formerTimeout);
		}
		this.handle.close();
	}

}
