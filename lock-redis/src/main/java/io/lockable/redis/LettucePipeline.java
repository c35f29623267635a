package io.lockable.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Writes the commands of many threads to one connection of Lettuce together.
 *
 * <p>
 * Lettuce hands each command to the thread of its event loop, and writes it there by
 * itself: one system call for each, and one more on the server to read it. Here commands
 * wait in a queue of their own until that thread comes round to them, and all that have
 * arrived by then are written at once. On an idle connection that is one command, sent no
 * later than Lettuce would; under load, or for a release that is followed by the next
 * acquisition, it is several.
 *
 * <p>
 * Invariant: while a command is unsent, a drain is scheduled that has not begun, or one
 * is running that has not seen the end of the queue. Drains may overlap; the order of
 * commands of different threads does not matter.
 */
final class LettucePipeline {

	private static final int ANSWERS_PER_WRITE = 4;

	private final RedisConnection handle;

	private final StatefulConnection<byte[], byte[]> connection;

	private final Queue<AsyncCommand<byte[], byte[], ?>> unsent = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean scheduled = new AtomicBoolean();

	private final AtomicInteger answers = new AtomicInteger();

	// The thread that the last answer came on, which a reconnection may change.
	private volatile @Nullable EventExecutor eventLoop;

	// On a cluster, writing several at once may block the event loop: until there is a
	// connection to the node of each.
	private final boolean groups;

	private LettucePipeline(RedisConnection handle, StatefulConnection<byte[], byte[]> connection, boolean groups) {
		this.handle = handle;
		this.connection = connection;
		this.groups = groups;
	}

	/**
	 * Finds Lettuce's connection.
	 * @param handle what Spring Data Redis gave, to close in the end
	 * @param singleServer whether the server is a single one, not a cluster
	 * @return the pipeline on it
	 */
	@SuppressWarnings("unchecked")
	static LettucePipeline on(RedisConnection handle, boolean singleServer) {
		AbstractRedisAsyncCommands<byte[], byte[]> commands = (AbstractRedisAsyncCommands<byte[], byte[]>) handle
			.getNativeConnection();
		return new LettucePipeline(handle, commands.getConnection(), singleServer);
	}

	/**
	 * Makes a command that runs a script and answers with its integers.
	 * @param type how the script is given
	 * @param script the script or its digest
	 * @param keys the keys
	 * @param arguments the arguments
	 * @return the command
	 */
	static AsyncCommand<byte[], byte[], List<Long>> script(ProtocolKeyword type, String script, byte[][] keys,
			byte[][] arguments) {
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
		args.add(LockKeys.bytes(script)).add(keys.length).addKeys(keys).addValues(arguments);
		return new AsyncCommand<>(new Command<>(type, new Integers(), args));
	}

	void send(AsyncCommand<byte[], byte[], ?> command) {
		EventExecutor executor = this.eventLoop;
		if (executor == null || !this.groups) {
			this.connection.dispatch(command);
			return;
		}
		this.unsent.add(command);
		if (this.scheduled.compareAndSet(false, true)) {
			drainLater(executor);
		}
	}

	/**
	 * Notes that an answer has come, on the thread that it has come on. That thread now
	 * wakes those who wait for the answers; meanwhile the server gets some more to do.
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
			// Shut down: Lettuce fails the commands, each with its reason.
			this.scheduled.set(false);
			drain();
		}
	}

	private void drain() {
		List<RedisCommand<byte[], byte[], ?>> batch = new ArrayList<>();
		AsyncCommand<byte[], byte[], ?> next = this.unsent.poll();
		while (next != null) {
			batch.add(next);
			next = this.unsent.poll();
		}
		if (!batch.isEmpty()) {
			write(batch);
		}
	}

	private void write(List<RedisCommand<byte[], byte[], ?>> batch) {
		try {
			this.connection.dispatch(batch);
		}
		catch (RuntimeException ex) {
			batch.forEach((command) -> command.completeExceptionally(ex));
		}
	}

	/**
	 * Returns whether the connection was closed for good, as when its connection factory
	 * is stopped. One that is lost is not: Lettuce connects again.
	 * @return whether every command would be refused
	 */
	boolean isClosed() {
		return this.connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
	}

	void close() {
		this.handle.close();
	}

	/**
	 * Reads an integer, or a list of integers.
	 */
	static final class Integers extends CommandOutput<byte[], byte[], List<Long>> {

		Integers() {
			super(ByteArrayCodec.INSTANCE, new ArrayList<>(5));
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

	}

}
