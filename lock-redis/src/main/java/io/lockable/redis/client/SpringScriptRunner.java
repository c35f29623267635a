package io.lockable.redis.client;

import java.util.List;

import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.RedisFailures;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Runs scripts over any client of Spring Data Redis, such as Jedis, each on a connection
 * of the client's pool. Threads of the {@linkplain ServerThreads server} block until the
 * answer.
 */
final class SpringScriptRunner implements ScriptRunner {

	private final RedisConnectionFactory connectionFactory;

	private final SlotRule slots;

	private final SlotMasters masters;

	private final ServerThreads threads;

	/**
	 * Creates a runner.
	 * @param connectionFactory the source of connections
	 * @param singleServer whether the client connects to a single server, not to a
	 * cluster
	 * @param threads the threads that block for each server
	 * @param runtime reads the masters of a cluster
	 */
	SpringScriptRunner(RedisConnectionFactory connectionFactory, boolean singleServer, ServerThreads threads,
			EngineRuntime runtime) {
		this.connectionFactory = connectionFactory;
		this.slots = new SlotRule(singleServer);
		this.masters = new SlotMasters(connectionFactory, runtime);
		this.threads = threads;
	}

	@Override
	public void run(ScriptCall<?> call) {
		this.threads.run(server(call.keys()[0]), () -> send(call), call::fail);
	}

	private void send(ScriptCall<?> call) {
		List<Long> integers;
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			integers = integers(evaluate(connection, call));
		}
		catch (Throwable ex) {
			// Errors are caught as well: other threads may wait for the answer.
			if (!this.slots.isSingleServer()) {
				this.masters.refresh();
			}
			call.fail(ex);
			return;
		}
		call.complete(integers, true);
	}

	private static @Nullable Object evaluate(RedisConnection connection, ScriptCall<?> call) {
		LuaScript script = call.script();
		int keys = call.keys().length;
		byte[][] keysAndArguments = call.keysAndArguments();
		if (!script.is(LuaScript.Trait.BY_SOURCE)) {
			try {
				return connection.scriptingCommands().evalSha(script.digest(), script.answer(), keys, keysAndArguments);
			}
			catch (RuntimeException ex) {
				if (!RedisFailures.isUnknownScript(ex)) {
					throw ex;
				}
			}
		}
		return connection.scriptingCommands()
			.eval(ScriptArguments.bytes(script.source()), script.answer(), keys, keysAndArguments);
	}

	@SuppressWarnings("unchecked")
	private static List<Long> integers(@Nullable Object answer) {
		if (answer instanceof Long integer) {
			return List.of(integer);
		}
		if (answer instanceof List<?> list) {
			return (List<Long>) list;
		}
		throw new IllegalStateException("The script must return integers, was " + answer);
	}

	@Override
	public SlotRule slots() {
		return this.slots;
	}

	@Override
	public Object server(byte[] key) {
		return this.slots.isSingleServer() ? this : this.masters.of(key);
	}

	/**
	 * Rejects new scripts. Scripts already sent complete.
	 */
	@Override
	public void close() {
		this.threads.close();
	}

}
