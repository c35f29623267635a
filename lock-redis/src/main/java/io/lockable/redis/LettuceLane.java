package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lockable.redis.LettuceCommand.Sending;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A connection that nobody else uses, for scripts and the {@code WAIT} behind them.
 */
final class LettuceLane {

	/**
	 * How much longer than the server waits for replicas the client waits for the server.
	 */
	private static final Duration MARGIN = Duration.ofSeconds(1);

	private final RedisConnection handle;

	private final StatefulConnection<byte[], byte[]> connection;

	private final ReplicaQuorum quorum;

	private final Duration formerTimeout;

	private LettuceLane(RedisConnection handle, StatefulConnection<byte[], byte[]> connection, ReplicaQuorum quorum) {
		this.handle = handle;
		this.connection = connection;
		this.quorum = quorum;
		this.formerTimeout = connection.getTimeout();
		Duration needed = quorum.timeout().plus(MARGIN);
		if (!this.formerTimeout.isZero() && this.formerTimeout.compareTo(needed) < 0) {
			connection.setTimeout(needed);
		}
	}

	/**
	 * Connects. Blocks.
	 * @param connectionFactory where connections come from
	 * @param node the node of a cluster, {@code null} for a single server
	 * @param quorum told how many replicas there are
	 * @return the connection
	 */
	static LettuceLane open(RedisConnectionFactory connectionFactory, ClusterNodes.@Nullable Node node,
			ReplicaQuorum quorum) {
		RedisConnection handle = connectionFactory.getConnection();
		try {
			LettuceLane lane = new LettuceLane(handle, connection(handle, node), quorum);
			if (quorum.isCounting()) {
				lane.countReplicas();
			}
			return lane;
		}
		catch (Throwable ex) {
			handle.close();
			throw ex;
		}
	}

	@SuppressWarnings("unchecked")
	private static StatefulConnection<byte[], byte[]> connection(RedisConnection handle,
			ClusterNodes.@Nullable Node node) {
		// What is pipelined does not go over the connection that is shared.
		handle.openPipeline();
		StatefulConnection<byte[], byte[]> connection = ((AbstractRedisAsyncCommands<byte[], byte[]>) handle
			.getNativeConnection()).getConnection();
		if (node == null) {
			return connection;
		}
		return ((StatefulRedisClusterConnection<byte[], byte[]>) connection).getConnection(node.host(), node.port());
	}

	private void countReplicas() {
		Sending<byte[]> info = info();
		this.connection.dispatch(info.answer());
		if (!info.answer().await(MARGIN.toMillis(), TimeUnit.MILLISECONDS)) {
			throw new RedisCommandTimeoutException("The master did not report its number of replicas");
		}
		counted(info.answer().toCompletableFuture().join());
	}

	private static Sending<byte[]> info() {
		return LettuceCommand.of(CommandType.INFO, new ByteArrayOutput<>(ByteArrayCodec.INSTANCE),
				LettuceCommand.arguments().add("replication"));
	}

	private void counted(byte[] replication) {
		this.quorum.counted(new String(replication, StandardCharsets.UTF_8));
	}

	boolean isOpen() {
		return this.connection.isOpen();
	}

	/**
	 * Sends scripts and one {@code WAIT} for all of them.
	 * @param calls the scripts
	 * @param failed told of each that failed, but not for a lack of acknowledgements
	 * @param done told in the end whether the connection can be used again
	 */
	void send(List<LettuceCall<?>> calls, BiConsumer<LettuceCall<?>, Throwable> failed, Consumer<Boolean> done) {
		int needed = this.quorum.needed();
		List<RedisCommand<byte[], byte[], ?>> commands = new ArrayList<>();
		List<Sent> sent = new ArrayList<>();
		if (this.quorum.isCountDue()) {
			Sending<byte[]> info = info();
			CompletionStage<byte[]> replication = info.answer();
			replication.thenAccept(this::counted);
			commands.add(info.answer());
		}
		for (LettuceCall<?> call : calls) {
			if (call.isAsking()) {
				commands.add(LettuceCommand
					.of(CommandType.ASKING, new StatusOutput<>(ByteArrayCodec.INSTANCE), LettuceCommand.arguments())
					.answer());
			}
			Sent script = new Sent(call, call.command(), failed);
			script.listen();
			sent.add(script);
			commands.add(script.sending().answer());
		}
		Sending<Long> wait = LettuceCommand.of(CommandType.WAIT, new IntegerOutput<>(ByteArrayCodec.INSTANCE),
				LettuceCommand.arguments().add(needed).add(this.quorum.timeout().toMillis()));
		CompletionStage<Long> acknowledged = wait.answer();
		acknowledged.whenComplete((count, failure) -> {
			boolean valid = failure == null && count != null && wait.isSentOnce();
			if (valid) {
				this.quorum.saw(count.intValue());
			}
			Throwable lost = (failure != null) ? failure : new ConnectionLostException();
			sent.forEach((script) -> script.decide(valid ? count : -1, needed, lost, this.quorum));
			done.accept(valid);
		});
		commands.add(wait.answer());
		try {
			this.connection.dispatch(commands);
		}
		catch (RuntimeException ex) {
			commands.forEach((command) -> command.completeExceptionally(ex));
		}
	}

	void close() {
		if (!this.formerTimeout.equals(this.connection.getTimeout())) {
			// It may be from a pool of the application, and go back there.
			this.connection.setTimeout(this.formerTimeout);
		}
		this.handle.close();
	}

	/**
	 * The connection was lost in between, so {@code WAIT} was answered on another one.
	 */
	@SuppressWarnings("serial")
	static final class ConnectionLostException extends RuntimeException {

		ConnectionLostException() {
			super("The connection was lost before the replicas answered");
		}

	}

	/**
	 * A script on its way.
	 *
	 * @param call what it is for
	 * @param sending the command
	 * @param failed told if it failed
	 */
	private record Sent(LettuceCall<?> call, Sending<List<Long>> sending,
			BiConsumer<LettuceCall<?>, Throwable> failed) {

		/**
		 * Answers at once where no replica is needed.
		 */
		void listen() {
			CompletionStage<List<Long>> answer = this.sending.answer();
			answer.whenComplete((integers, failure) -> {
				if (failure != null) {
					this.failed.accept(this.call, failure);
				}
				else if (!this.call.counts(integers)) {
					this.call.complete(integers);
				}
			});
		}

		void decide(long acknowledged, int needed, Throwable lost, ReplicaQuorum quorum) {
			List<Long> integers = this.sending.answer().isCompletedExceptionally() ? List.of()
					: this.sending.answer().toCompletableFuture().getNow(List.of());
			if (integers.isEmpty() || !this.call.counts(integers)) {
				return;
			}
			if (acknowledged < 0 || !this.sending.isSentOnce()) {
				this.failed.accept(this.call, lost);
			}
			else if (acknowledged < needed) {
				this.call.fail(quorum.missing(acknowledged, needed));
			}
			else {
				this.call.complete(integers);
			}
		}

	}

}
