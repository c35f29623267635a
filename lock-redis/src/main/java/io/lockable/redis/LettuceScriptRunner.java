package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Runs scripts on the connection that Lettuce shares among all threads, so that commands
 * are pipelined and nobody waits for another's answer.
 *
 * <p>
 * Connecting and closing block, so they happen on threads of their own. Lettuce
 * reconnects by itself; only a connection that was closed for good is asked for again.
 */
final class LettuceScriptRunner implements ScriptRunner {

	private final RedisConnectionFactory connectionFactory;

	private final AtomicReference<@Nullable CompletableFuture<Connection>> connection = new AtomicReference<>();

	// Takes the connection's place in the end, so that none is opened after that.
	private final CompletableFuture<Connection> closed = CompletableFuture
		.failedFuture(new LockStoreException("The store is closed", null));

	private final boolean singleServer;

	LettuceScriptRunner(RedisConnectionFactory connectionFactory, boolean singleServer) {
		this.connectionFactory = connectionFactory;
		this.singleServer = singleServer;
	}

	@Override
	public CompletionStage<List<Long>> run(LuaScript script, byte[][] keys, byte[]... arguments) {
		CompletableFuture<Connection> connection = connection();
		CompletableFuture<List<Long>> result = new CompletableFuture<>();
		CompletionStage<Connection> opening = connection;
		opening.whenComplete((opened, failure) -> {
			if (failure != null) {
				result.completeExceptionally(RedisFailures.translate(failure));
			}
			else {
				send(new Call(connection, opened, script, keys, arguments, result));
			}
		});
		return result;
	}

	private void send(Call call) {
		// Whatever is thrown in a callback vanishes: without a catch the caller would
		// wait for ever.
		try {
			CompletionStage<List<Long>> answer = call.opened()
				.commands()
				.evalsha(call.script().digest(), ScriptOutputType.MULTI, call.keys(), call.arguments());
			answer.whenComplete((integers, failure) -> {
				if (failure instanceof RedisNoScriptException) {
					sendSource(call);
				}
				else {
					answer(call, integers, failure);
				}
			});
		}
		catch (Throwable ex) {
			answer(call, null, ex);
		}
	}

	private void sendSource(Call call) {
		try {
			CompletionStage<List<Long>> answer = call.opened()
				.commands()
				.eval(call.script().source(), ScriptOutputType.MULTI, call.keys(), call.arguments());
			answer.whenComplete((integers, failure) -> answer(call, integers, failure));
		}
		catch (Throwable ex) {
			answer(call, null, ex);
		}
	}

	private void answer(Call call, @Nullable List<Long> integers, @Nullable Throwable failure) {
		if (integers != null) {
			call.result().complete(integers);
			return;
		}
		Throwable cause = (failure != null) ? failure : new IllegalStateException("The script gave no answer");
		if (isClosed(cause) && this.connection.compareAndSet(call.connection(), null)) {
			inBackground("lockable-disconnect", call.opened().handle()::close);
		}
		call.result().completeExceptionally(RedisFailures.translate(cause));
	}

	/**
	 * Lettuce tells by its message alone that a connection is closed. One that is not,
	 * others still wait for: a command of theirs must not fail because another timed out.
	 */
	private static boolean isClosed(Throwable failure) {
		if (failure instanceof RedisConnectionException) {
			return true;
		}
		String message = failure.getMessage();
		return failure.getClass() == RedisException.class && message != null
				&& (message.contains("losed") || message.contains("not connected"));
	}

	private CompletableFuture<Connection> connection() {
		CompletableFuture<Connection> current = this.connection.get();
		if (current != null) {
			return current;
		}
		CompletableFuture<Connection> opening = new CompletableFuture<>();
		CompletableFuture<Connection> earlier = this.connection.compareAndExchange(null, opening);
		if (earlier != null) {
			return earlier;
		}
		inBackground("lockable-connect", () -> open(opening));
		return opening;
	}

	@SuppressWarnings("unchecked")
	private void open(CompletableFuture<Connection> opening) {
		try {
			RedisConnection handle = this.connectionFactory.getConnection();
			opening.complete(
					new Connection(handle, (RedisClusterAsyncCommands<byte[], byte[]>) handle.getNativeConnection()));
		}
		catch (Throwable ex) {
			this.connection.compareAndSet(opening, null);
			opening.completeExceptionally(ex);
		}
	}

	private static void inBackground(String name, Runnable work) {
		Thread thread = new Thread(work, name);
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public boolean isBlocking() {
		return false;
	}

	@Override
	public boolean isSingleServer() {
		return this.singleServer;
	}

	@Override
	public void close() {
		CompletableFuture<Connection> current = this.connection.getAndSet(this.closed);
		if (current != null) {
			CompletionStage<Connection> opened = current;
			opened.thenAccept((connection) -> connection.handle().close());
		}
	}

	/**
	 * An open connection.
	 *
	 * @param handle what Spring Data Redis gave, to close in the end
	 * @param commands Lettuce's own view of it
	 */
	private record Connection(RedisConnection handle, RedisClusterAsyncCommands<byte[], byte[]> commands) {

	}

	/**
	 * A script to run on a connection.
	 *
	 * @param connection the connection, as this runner knows it
	 * @param opened the same connection, open
	 * @param script the script
	 * @param keys its keys
	 * @param arguments its arguments
	 * @param result what to complete with its answer
	 */
	@SuppressWarnings("ArrayRecordComponent")
	private record Call(CompletableFuture<Connection> connection, Connection opened, LuaScript script, byte[][] keys,
			byte[][] arguments, CompletableFuture<List<Long>> result) {

	}

}
