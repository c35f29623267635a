package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;

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
	public CompletionStage<List<Long>> run(LuaScript script, byte[][] keys, byte[]... arguments) {
		byte[][] keysAndArguments = new byte[keys.length + arguments.length][];
		System.arraycopy(keys, 0, keysAndArguments, 0, keys.length);
		System.arraycopy(arguments, 0, keysAndArguments, keys.length, arguments.length);
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			List<Long> result = evaluate(connection, script, keys.length, keysAndArguments);
			if (result == null) {
				throw new IllegalStateException("The script gave no answer");
			}
			return CompletableFuture.completedFuture(result);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(RedisFailures.translate(ex));
		}
	}

	private static @Nullable List<Long> evaluate(RedisConnection connection, LuaScript script, int keys,
			byte[][] keysAndArguments) {
		try {
			return connection.scriptingCommands().evalSha(script.digest(), ReturnType.MULTI, keys, keysAndArguments);
		}
		catch (RuntimeException ex) {
			if (!RedisFailures.isUnknownScript(ex)) {
				throw ex;
			}
			return connection.scriptingCommands()
				.eval(LockKeys.bytes(script.source()), ReturnType.MULTI, keys, keysAndArguments);
		}
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
