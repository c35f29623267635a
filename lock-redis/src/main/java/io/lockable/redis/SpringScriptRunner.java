package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

import io.lockable.redis.ScriptCall.How;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Runs scripts over any client that Spring Data Redis knows, Jedis for one, on the
 * calling thread and a connection of the client's pool. Threads that ask a single server
 * at the same moment share one.
 */
final class SpringScriptRunner implements ScriptRunner {

	private final RedisConnectionFactory connectionFactory;

	private final SlotRule slots;

	private final SharedTrips trips = new SharedTrips(this::run, this::run, SharedTrips.PATIENCE);

	private final SlotOwners owners;

	SpringScriptRunner(RedisConnectionFactory connectionFactory, boolean singleServer) {
		this.connectionFactory = connectionFactory;
		this.slots = new SlotRule(singleServer);
		this.owners = new SlotOwners(connectionFactory);
	}

	@Override
	public <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer) {
		CompletableFuture<T> result = new CompletableFuture<>();
		ScriptCall call = new ScriptCall(script, keys, arguments, How.ANYHOW, (integers, failure, sentOnce) -> {
			if (integers != null) {
				ScriptCall.complete(result, answer, ScriptCall.known(script, integers, sentOnce));
			}
			else {
				result.completeExceptionally(RedisFailures
					.translate((failure != null) ? failure : new IllegalStateException("The script returned nothing")));
			}
		});
		if (this.slots.mayMix() && ScriptBatch.canJoin(call)) {
			this.trips.run(call);
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
		byte[][] keys = call.keys();
		byte[][] arguments = call.arguments();
		byte[][] keysAndArguments = new byte[keys.length + arguments.length][];
		System.arraycopy(keys, 0, keysAndArguments, 0, keys.length);
		System.arraycopy(arguments, 0, keysAndArguments, keys.length, arguments.length);
		List<Long> integers;
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			integers = integers(evaluate(connection, call.script(), keys.length, keysAndArguments));
		}
		catch (Throwable ex) {
			// Whatever it is: others may wait for the answer.
			if (RedisFailures.isInterrupted(ex)) {
				Thread.currentThread().interrupt();
			}
			if (!this.slots.isSingleServer()) {
				this.owners.refresh();
			}
			call.answered().accept(null, ex, true);
			return;
		}
		call.answered().accept(integers, null, true);
	}

	private static @Nullable Object evaluate(RedisConnection connection, LuaScript script, int keys,
			byte[][] keysAndArguments) {
		if (!script.isBySource()) {
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
			.eval(LockKeys.bytes(script.source()), script.answer(), keys, keysAndArguments);
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
		return this.slots.isSingleServer() ? this : this.owners.of(key);
	}

	@Override
	public void close() {
	}

}
