package io.lockable.redis.lettuce;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.RedisCommand;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.ScriptBatch;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptCall.Mode;
import io.lockable.redis.script.SlotRule;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Combines the scripts of many threads on one Lettuce connection.
 *
 * <p>
 * Lettuce hands each command to its event loop, which writes it alone: one system call
 * per command, and one more on the server to read it. Here, scripts wait in a queue until
 * the event loop drains it. All queued scripts are then written at once,
 * {@link ScriptBatch joined} if one script can do the work of several. On an idle
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

	private final RedisConnection handle;

	private final StatefulConnection<byte[], byte[]> connection;

	private final Queue<ScriptCall> unsent = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean scheduled = new AtomicBoolean();

	private final AtomicInteger answers = new AtomicInteger();

	// The thread of the last answer. A reconnection may change it.
	private volatile @Nullable EventExecutor eventLoop;

	// On a cluster, a grouped write may block the event loop until each node is
	// connected.
	private final boolean groups;

	private final SlotRule slots;

	private LettucePipeline(RedisConnection handle, StatefulConnection<byte[], byte[]> connection, SlotRule slots) {
		this.handle = handle;
		this.connection = connection;
		this.groups = slots.isSingleServer();
		this.slots = slots;
	}

	/**
	 * Unwraps Lettuce's connection.
	 * @param handle the connection of Spring Data Redis, closed with this pipeline
	 * @param slots whether one script may have the keys of several locks
	 * @return the pipeline
	 */
	@SuppressWarnings("unchecked")
	static LettucePipeline on(RedisConnection handle, SlotRule slots) {
		AbstractRedisAsyncCommands<byte[], byte[]> commands = (AbstractRedisAsyncCommands<byte[], byte[]>) handle
			.getNativeConnection();
		return new LettucePipeline(handle, commands.getConnection(), slots);
	}

	/**
	 * Runs a script by its digest, or by its source if the server does not know the
	 * digest.
	 * @param call the script
	 */
	void run(ScriptCall call) {
		EventExecutor executor = this.eventLoop;
		if (executor == null || !this.groups) {
			write(call);
			return;
		}
		this.unsent.add(call);
		if (this.scheduled.compareAndSet(false, true)) {
			drainLater(executor);
		}
	}

	/**
	 * Records an answer, on the thread that reads answers. That thread is about to wake
	 * callers, so the server receives the queued commands first.
	 */
	void answered() {
		EventExecutor current = ThreadExecutorMap.currentExecutor();
		if (current != null && current != this.eventLoop) {
			this.eventLoop = current;
		}
		if (this.answers.incrementAndGet() % ANSWERS_PER_WRITE == 0) {
			drain();
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
		List<ScriptCall> calls = new ArrayList<>();
		ScriptCall next = this.unsent.poll();
		while (next != null) {
			calls.add(next);
			next = this.unsent.poll();
		}
		if (!calls.isEmpty()) {
			write(ScriptBatch.join(calls, this.slots, (part) -> run(part.in(Mode.ALONE))));
		}
	}

	private void write(List<ScriptCall> calls) {
		write(calls, this.connection::dispatch);
	}

	private void write(ScriptCall call) {
		write(List.of(call), (commands) -> this.connection.dispatch(commands.get(0)));
	}

	private void write(List<ScriptCall> calls, Consumer<List<RedisCommand<byte[], byte[], ?>>> dispatch) {
		List<RedisCommand<byte[], byte[], ?>> commands = new ArrayList<>(calls.size());
		// The executor drops exceptions: without a catch, the callers would wait forever.
		try {
			calls.forEach((call) -> commands.add(command(call)));
			dispatch.accept(commands);
		}
		catch (Throwable ex) {
			commands.forEach((command) -> command.completeExceptionally(ex));
			calls.subList(commands.size(), calls.size()).forEach((call) -> call.callback().accept(null, ex, true));
		}
	}

	@SuppressWarnings("unchecked")
	private LettuceCommand command(ScriptCall call) {
		boolean bySource = call.mode() == Mode.BY_SOURCE || call.script().is(LuaScript.Trait.BY_SOURCE);
		LettuceCommand command = LettuceCommand.ofScript(call.script(), bySource, call.keys(), call.arguments());
		CompletionStage<List<Object>> answered = command;
		answered.whenComplete((answer, failure) -> {
			if (failure instanceof RedisNoScriptException && !bySource) {
				run(call.bySource(command.isRefused()));
			}
			else {
				call.callback().accept((List<Long>) (List<?>) answer, failure, command.isSentOnce());
			}
		});
		return command;
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
		return this.connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
	}

	void close() {
		this.handle.close();
	}

}
