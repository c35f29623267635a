package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Runs scripts over any client that Spring Data Redis knows, Jedis for one, on the
 * calling thread and a connection of the client's pool.
 */
final class SpringScriptRunner implements ScriptRunner {

	private final RedisConnectionFactory connectionFactory;

	private final boolean singleServer;

	SpringScriptRunner(RedisConnectionFactory connectionFactory, boolean singleServer) {
		this.connectionFactory = connectionFactory;
		this.singleServer = singleServer;
	}

	@Override
	public <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer) {
		byte[][] keysAndArguments = new byte[keys.length + arguments.length][];
		System.arraycopy(keys, 0, keysAndArguments, 0, keys.length);
		System.arraycopy(arguments, 0, keysAndArguments, keys.length, arguments.length);
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			return CompletableFuture
				.completedFuture(answer.apply(integers(evaluate(connection, script, keys.length, keysAndArguments))));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(RedisFailures.translate(ex));
		}
	}

	private static @Nullable Object evaluate(RedisConnection connection, LuaScript script, int keys,
			byte[][] keysAndArguments) {
		try {
			return connection.scriptingCommands().evalSha(script.digest(), script.answer(), keys, keysAndArguments);
		}
		catch (RuntimeException ex) {
			if (!RedisFailures.isUnknownScript(ex)) {
				throw ex;
			}
			return connection.scriptingCommands()
				.eval(LockKeys.bytes(script.source()), script.answer(), keys, keysAndArguments);
		}
	}

	@SuppressWarnings("unchecked")
	private static List<Long> integers(@Nullable Object answer) {
		if (answer instanceof Long integer) {
			return List.of(integer);
		}
		if (answer instanceof List<?> list) {
			return (List<Long>) list;
		}
		throw new IllegalStateException("The script must answer with integers, was " + answer);
	}

	@Override
	public boolean isBlocking() {
		return true;
	}

	@Override
	public boolean isSingleServer() {
		return this.singleServer;
	}

	@Override
	public void close() {
	}

}
