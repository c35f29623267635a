package io.lockable.redis.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.CommandType;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.ScriptCall;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Writes the scripts of many threads to one Lettuce connection.
 *
 * <p>
 * Lettuce hands each command to its event loop, which writes it alone: one system call
 * per command, and one more on the server to read it. Here, scripts wait in a queue until
 * the event loop drains it, and all queued scripts are then written at once. On an idle
 * connection, that is one command, sent as early as Lettuce would send it. Under load, or
 * for a release followed by the next acquisition, it is several.
 *
 * <p>
 * Invariant: while a script is unsent, a scheduled drain has not begun, or a running
 * drain has not seen the end of the queue. Drains may overlap; the order of scripts of
 * different threads does not matter.
 */
final class LettucePipeline {

	private static final int ANSWERS_PER_WRITE = 4;

	private final StatefulConnection<byte[], byte[]> connection;

	private final Runnable close;

	private final Queue<ScriptCall<?>> unsent = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean scheduled = new AtomicBoolean();

	private final AtomicInteger answers = new AtomicInteger();

	// The thread of the last answer. A reconnection may change it.
	private volatile @Nullable EventExecutor eventLoop;

	private volatile boolean broken;

	/**
	 * Creates a pipeline.
	 * @param connection the connection, on which each script is a command that is
	 * dispatched alone or in a collection
	 * @param close closes the connection
	 */
	LettucePipeline(StatefulConnection<byte[], byte[]> connection, Runnable close) {
		this.connection = connection;
		this.close = close;
	}

	/**
	 * Unwraps Lettuce's connection.
	 * @param handle the connection of Spring Data Redis, closed with this pipeline
	 * @return the pipeline
	 */
	@SuppressWarnings("unchecked")
	static LettucePipeline on(RedisConnection handle) {
		AbstractRedisAsyncCommands<byte[], byte[]> commands = (AbstractRedisAsyncCommands<byte[], byte[]>) handle
			.getNativeConnection();
		return new LettucePipeline(commands.getConnection(), handle::close);
	}

	/**
	 * Runs a script by its digest, or by its source if the server does not know the
	 * digest.
	 * @param call the script
	 */
	void run(ScriptCall<?> call) {
		EventExecutor executor = this.eventLoop;
		// On a cluster, a grouped write may block the event loop until each node is
		// connected.
		if (executor == null || this.connection instanceof StatefulRedisClusterConnection) {
			write(List.of(call), false, true);
			return;
		}
		this.unsent.add(call);
		if (this.scheduled.compareAndSet(false, true)) {
			drainLater(executor);
		}
	}

	private void drainLater(Executor executor) {
		try {
			executor.execute(() -> {
				this.scheduled.set(false);
				drain();
			});
		}
		catch (RejectedExecutionException ex) {
			// After a shutdown, Lettuce fails each command with its own reason.
			this.scheduled.set(false);
			drain();
		}
	}

	private void drain() {
		List<ScriptCall<?>> calls = new ArrayList<>();
		ScriptCall<?> next = this.unsent.poll();
		while (next != null) {
			calls.add(next);
			next = this.unsent.poll();
		}
		if (!calls.isEmpty()) {
			write(calls, false, true);
		}
	}

	/**
	 * Writes the commands of scripts.
	 * @param calls the scripts
	 * @param bySource whether to send the source instead of the digest
	 * @param onlyCopy whether no earlier command of these calls can have been executed
	 */
	private void write(List<ScriptCall<?>> calls, boolean bySource, boolean onlyCopy) {
		// The executor drops exceptions: without a catch, the callers would wait forever.
		try {
			List<LettuceCommand> commands = new ArrayList<>(calls.size());
			calls.forEach((call) -> commands
				.add(LettuceCommand.ofScript(call, bySource || call.script().is(LuaScript.Trait.BY_SOURCE))));
			if (commands.size() == 1) {
				this.connection.dispatch(commands.get(0));
			}
			else {
				this.connection.dispatch(commands);
			}
			// Not before: Lettuce may fail a command while it holds a lock, and a call
			// that fails sends the next one.
			for (int i = 0; i < commands.size(); i++) {
				follow(commands.get(i), calls.get(i), onlyCopy);
			}
		}
		catch (Throwable ex) {
			calls.forEach((call) -> fail(call, ex));
		}
	}

	@SuppressWarnings("unchecked")
	private void follow(LettuceCommand command, ScriptCall<?> call, boolean onlyCopy) {
		CompletionStage<List<Object>> answered = command;
		answered.whenComplete((answer, failure) -> {
			if (failure == null) {
				answered();
				call.complete((List<Long>) (List<?>) answer, onlyCopy && command.isSentOnce());
			}
			else if (failure instanceof RedisNoScriptException && command.getType() == CommandType.EVALSHA) {
				write(List.of(call), true, command.isRefused());
			}
			else {
				fail(call, failure);
			}
		});
	}

	/**
	 * Records an answer, on the thread that reads answers, unless the answer came before
	 * its command was followed. That thread is about to wake callers, so the server
	 * receives the queued commands first.
	 */
	private void answered() {
		EventExecutor current = ThreadExecutorMap.currentExecutor();
		if (current != null && current != this.eventLoop) {
			this.eventLoop = current;
		}
		if (this.answers.incrementAndGet() % ANSWERS_PER_WRITE == 0) {
			drain();
		}
	}

	private void fail(ScriptCall<?> call, Throwable failure) {
		this.broken |= isClosed(failure);
		call.fail(failure);
	}

	/**
	 * Returns whether a failure means that the connection is closed, which only its
	 * message reveals. An open connection is kept: a timeout of one command must not fail
	 * the others in flight.
	 */
	private static boolean isClosed(Throwable failure) {
		String message = String.valueOf(failure.getMessage());
		return failure instanceof RedisConnectionException || (failure.getClass() == RedisException.class
				&& (message.contains("losed") || message.contains("not connected")));
	}

	/**
	 * Returns the cluster node that serves a key.
	 * @param key the key
	 * @return the id of the master, or {@code null} if none is known
	 */
	@Nullable String server(byte[] key) {
		RedisClusterNode node = (this.connection instanceof StatefulRedisClusterConnection<?, ?> cluster)
				? cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(key)) : null;
		return (node != null) ? node.getNodeId() : null;
	}

	/**
	 * Returns whether the connection is closed permanently, as after a stop of its
	 * connection factory. Lettuce reconnects a lost connection.
	 * @return whether every command would be rejected
	 */
	boolean isClosed() {
		return this.broken || (this.connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed());
	}

	void close() {
		this.close.run();
	}

}
