package io.lockable.redis.client;

import java.util.Collections;
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
import org.springframework.data.redis.connection.RedisPipelineException;

/**
 * Runs scripts over any client of Spring Data Redis, such as Jedis, on connections of the
 * client's pool. {@link ServerThreads} block until the answers. A client of a cluster
 * cannot send scripts together.
 */
final class SpringScriptRunner implements ScriptRunner {

	// With more threads, fewer scripts go together, and each costs more processor time.
	private static final int THREADS_OF_SINGLE_SERVER = 3;

	private final RedisConnectionFactory connectionFactory;

	private final SlotRule slots;

	private final SlotMasters masters;

	private final ServerThreads<Object> threads;

	/**
	 * Creates a runner.
	 * @param connectionFactory the source of connections
	 * @param singleServer whether the client connects to a single server, not to a
	 * cluster
	 * @param name the name of the threads
	 * @param threads the maximum number of threads for each server; at most three are
	 * used for a single server
	 * @param runtime has the threads, and reads the masters of a cluster
	 */
	SpringScriptRunner(RedisConnectionFactory connectionFactory, boolean singleServer, String name, int threads,
			EngineRuntime runtime) {
		this.connectionFactory = connectionFactory;
		this.slots = new SlotRule(singleServer);
		this.masters = new SlotMasters(connectionFactory, runtime);
		this.threads = new ServerThreads<>(name, singleServer ? Math.min(threads, THREADS_OF_SINGLE_SERVER) : threads,
				singleServer ? ServerThreads.MAX_TOGETHER : 1, (server, calls) -> send(calls), runtime);
	}

	@Override
	public void run(ScriptCall<?> call) {
		this.threads.run(server(call.keys()[0]), call);
	}

	private void send(List<ScriptCall<?>> calls) {
		List<?> answers;
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			answers = (calls.size() > 1) ? evaluateTogether(connection, calls)
					: List.of(integers(evaluate(connection, calls.get(0))));
		}
		catch (Throwable ex) {
			// Errors are caught as well: other threads may wait for the answer.
			if (!this.slots.isSingleServer()) {
				this.masters.refresh();
			}
			answers = Collections.nCopies(calls.size(), ex);
		}
		for (int i = 0; i < calls.size(); i++) {
			complete(calls.get(i), answers.get(i), calls.size() > 1);
		}
	}

	@SuppressWarnings("unchecked")
	private void complete(ScriptCall<?> call, Object answer, boolean together) {
		if (!(answer instanceof Throwable failure)) {
			call.complete((List<Long>) answer, true);
		}
		else if (together && RedisFailures.isUnknownScript(failure)) {
			send(List.of(call));
		}
		else {
			call.fail(failure);
		}
	}

	/**
	 * Runs scripts in one pipeline.
	 * @return the integers or the failure of each script
	 */
	private static List<Object> evaluateTogether(RedisConnection connection, List<ScriptCall<?>> calls) {
		connection.openPipeline();
		try {
			calls.forEach((call) -> evaluate(connection, call, call.script().is(LuaScript.Trait.BY_SOURCE)));
		}
		catch (Throwable ex) {
			// Reads the answers, which the next user of the connection would get.
			connection.closePipeline();
			throw ex;
		}
		List<Object> answers;
		try {
			answers = connection.closePipeline();
		}
		catch (RedisPipelineException ex) {
			answers = ex.getPipelineResult();
		}
		return answers.stream().map((answer) -> (answer instanceof Throwable) ? answer : integers(answer)).toList();
	}

	private static @Nullable Object evaluate(RedisConnection connection, ScriptCall<?> call) {
		boolean bySource = call.script().is(LuaScript.Trait.BY_SOURCE);
		try {
			return evaluate(connection, call, bySource);
		}
		catch (RuntimeException ex) {
			if (bySource || !RedisFailures.isUnknownScript(ex)) {
				throw ex;
			}
			return evaluate(connection, call, true);
		}
	}

	private static @Nullable Object evaluate(RedisConnection connection, ScriptCall<?> call, boolean bySource) {
		LuaScript script = call.script();
		int keys = call.keys().length;
		byte[][] keysAndArguments = call.keysAndArguments();
		return bySource
				? connection.scriptingCommands()
					.eval(ScriptArguments.bytes(script.source()), script.answer(), keys, keysAndArguments)
				: connection.scriptingCommands().evalSha(script.digest(), script.answer(), keys, keysAndArguments);
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
	public boolean isOrdered() {
		return false;
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
