package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Runs scripts on the connection that Lettuce shares among all threads, so that commands
 * are pipelined and nobody waits for another's answer.
 *
 * <p>
 * Connecting blocks, so it happens on a thread of its own. Lettuce reconnects by itself;
 * only a connection that was closed for good is asked for again.
 */
final class LettuceScriptRunner implements ScriptRunner {

	private final RedisConnectionFactory connectionFactory;

	private final AtomicReference<@Nullable CompletableFuture<Connection>> connection = new AtomicReference<>();

	private final boolean singleServer;

	LettuceScriptRunner(RedisConnectionFactory connectionFactory, boolean singleServer) {
		this.connectionFactory = connectionFactory;
		this.singleServer = singleServer;
	}

	@Override
	public CompletionStage<List<Long>> run(LuaScript script, byte[][] keys, byte[]... arguments) {
		CompletableFuture<Connection> connection = connection();
		CompletableFuture<List<Long>> result = new CompletableFuture<>();
		if (connection.isDone() && !connection.isCompletedExceptionally()) {
			send(connection, result, script, keys, arguments);
		}
		else {
			CompletionStage<Connection> opening = connection;
			opening.whenComplete((opened, failure) -> {
				if (failure != null) {
					result.completeExceptionally(RedisFailures.translate(failure));
				}
				else {
					send(connection, result, script, keys, arguments);
				}
			});
		}
		return result;
	}

	private void send(CompletableFuture<Connection> connection, CompletableFuture<List<Long>> result, LuaScript script,
			byte[][] keys, byte[]... arguments) {
		RedisClusterAsyncCommands<byte[], byte[]> commands = connection.join().commands();
		CompletionStage<List<Long>> answer = commands.evalsha(script.digest(), ScriptOutputType.MULTI, keys, arguments);
		answer.whenComplete((integers, failure) -> {
			if (failure == null) {
				result.complete(integers);
			}
			else if (failure instanceof RedisNoScriptException) {
				CompletionStage<List<Long>> again = commands.eval(script.source(), ScriptOutputType.MULTI, keys,
						arguments);
				again.whenComplete((evaluated, evalFailure) -> answer(connection, result, evaluated, evalFailure));
			}
			else {
				answer(connection, result, null, failure);
			}
		});
	}

	private void answer(CompletableFuture<Connection> connection, CompletableFuture<List<Long>> result,
			@Nullable List<Long> integers, @Nullable Throwable failure) {
		if (integers != null) {
			result.complete(integers);
			return;
		}
		Throwable cause = (failure != null) ? failure : new IllegalStateException("The script gave no answer");
		if (!(cause instanceof RedisCommandExecutionException) && this.connection.compareAndSet(connection, null)) {
			connection.join().handle().close();
		}
		result.completeExceptionally(RedisFailures.translate(cause));
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
		Thread thread = new Thread(() -> open(opening), "lockable-connect");
		thread.setDaemon(true);
		thread.start();
		return opening;
	}

	@SuppressWarnings("unchecked")
	private void open(CompletableFuture<Connection> opening) {
		try {
			RedisConnection handle = this.connectionFactory.getConnection();
			opening.complete(
					new Connection(handle, (RedisClusterAsyncCommands<byte[], byte[]>) handle.getNativeConnection()));
		}
		catch (RuntimeException ex) {
			this.connection.compareAndSet(opening, null);
			opening.completeExceptionally(ex);
		}
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
		CompletableFuture<Connection> current = this.connection.getAndSet(null);
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

}
