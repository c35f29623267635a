package io.lockable.redis.blocking;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

import io.lockable.Internal;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.RedisFailures;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptBatch;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptCall.Mode;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Runs scripts over any client of Spring Data Redis, such as Jedis, on the calling thread
 * and a connection of the client's pool. Concurrent callers of a single server share a
 * command.
 *
 * @since 0.1.0
 */
@Internal
public final class SpringScriptRunner implements ScriptRunner {

	private final RedisConnectionFactory connectionFactory;

	private final SlotRule slots;

	private final FlatCombiner combiner = new FlatCombiner(this::run, this::run, FlatCombiner.PATIENCE);

	private final SlotMasters masters;

	/**
	 * Creates a runner.
	 * @param connectionFactory the source of connections
	 * @param singleServer whether the client connects to a single server, not to a
	 * cluster
	 */
	public SpringScriptRunner(RedisConnectionFactory connectionFactory, boolean singleServer) {
		this.connectionFactory = connectionFactory;
		this.slots = new SlotRule(singleServer);
		this.masters = new SlotMasters(connectionFactory);
	}

	@Override
	public <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer) {
		CompletableFuture<T> result = new CompletableFuture<>();
		ScriptCall call = ScriptCall.completing(script, keys, arguments, Mode.JOINABLE, answer, result);
		if (this.slots.mayMix() && ScriptBatch.canJoin(call)) {
			this.combiner.run(call);
		}
		else {
			run(call);
		}
		return result;
	}

	private void run(List<ScriptCall> calls, Consumer<ScriptCall> again) {
		ScriptBatch.join(calls, this.slots, again).forEach(this::run);
	}

	private void run(ScriptCall call) {
		List<Long> integers;
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			integers = integers(evaluate(connection, call));
		}
		catch (Throwable ex) {
			// Errors are caught as well: other threads may wait for the answer.
			if (RedisFailures.isInterrupted(ex)) {
				Thread.currentThread().interrupt();
			}
			if (!this.slots.isSingleServer()) {
				this.masters.refresh();
			}
			call.fail(ex);
			return;
		}
		call.callback().accept(integers, null, true);
	}

	private static @Nullable Object evaluate(RedisConnection connection, ScriptCall call) {
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
	public boolean isBlocking() {
		return true;
	}

	@Override
	public SlotRule slots() {
		return this.slots;
	}

	@Override
	public Object server(byte[] key) {
		return this.slots.isSingleServer() ? this : this.masters.of(key);
	}

}
