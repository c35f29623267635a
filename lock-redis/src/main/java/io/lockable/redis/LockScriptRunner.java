package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockable.redis.blocking.ThreadedScriptRunner;
import io.lockable.redis.client.ClientAdapter;
import io.lockable.redis.replication.ReplicaQuorum;
import io.lockable.redis.replication.ReplicatedRunner;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;
import org.jspecify.annotations.Nullable;

/**
 * Runs the scripts of locks. Where replicas must acknowledge, a script that grants or
 * extends a lock counts once they have.
 */
final class LockScriptRunner {

	/**
	 * How many connections to a server wait for replicas at most. Each master of a
	 * cluster has half as many: over Lettuce, each is one to the cluster too.
	 */
	private static final int REPLICA_CONNECTIONS = 4;

	private static final Predicate<List<Long>> GRANTS = (result) -> result.get(0) > 0;

	private static final Predicate<List<Long>> EXTENDS = (result) -> result.contains(1L);

	private final ScriptRunner scripts;

	private final @Nullable ReplicatedRunner replicated;

	/**
	 * Creates a runner. Where replicas are waited for, and on a cluster, callers never
	 * block: the client of a cluster that blocks retries while a master is lost, which
	 * takes several times its timeout. Otherwise a client that blocks does so on the
	 * caller's thread, which costs less.
	 * @param client the client
	 * @param acknowledgements which replicas to wait for
	 */
	LockScriptRunner(ClientAdapter client, Acknowledgements acknowledgements) {
		boolean replicated = acknowledgements.from() != Replicas.NONE;
		ScriptRunner runner = client.runner();
		this.scripts = (runner.isBlocking() && (replicated || client.isCluster()))
				? new ThreadedScriptRunner(runner, "lockable-server") : runner;
		this.replicated = replicated
				? new ReplicatedRunner(this.scripts, client.replicaConnections(acknowledgements.timeout()),
						client.isCluster() ? REPLICA_CONNECTIONS / 2 : REPLICA_CONNECTIONS, new ReplicaQuorum(
								acknowledgements.replicas(), acknowledgements.from()::of, acknowledgements.timeout()))
				: null;
	}

	/**
	 * Runs a script whose answer counts at once.
	 * @param script the script
	 * @param keys its keys
	 * @param arguments its arguments
	 * @param answer reads the integers that the script answers
	 * @param <T> the answer's type
	 * @return the answer, or a {@link io.lockable.LockStoreException}
	 */
	<T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments, Function<List<Long>, T> answer) {
		return this.scripts.run(script, keys, arguments, answer);
	}

	/**
	 * Runs a script that may grant a lock, and then answers a positive number first.
	 * @param script the script
	 * @param keys its keys
	 * @param arguments its arguments
	 * @param answer reads the integers that the script answers
	 * @param <T> the answer's type
	 * @return the answer, or a {@link io.lockable.LockStoreException}
	 */
	<T> CompletionStage<T> grant(LuaScript script, byte[][] keys, byte[][] arguments, Function<List<Long>, T> answer) {
		return run(script, keys, arguments, answer, GRANTS);
	}

	/**
	 * Runs a script that may extend locks, and then answers 1 for each.
	 * @param script the script
	 * @param keys its keys
	 * @param arguments its arguments
	 * @return the answer, or a {@link io.lockable.LockStoreException}
	 */
	CompletionStage<List<Long>> extend(LuaScript script, byte[][] keys, byte[][] arguments) {
		return run(script, keys, arguments, Function.identity(), EXTENDS);
	}

	private <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer, Predicate<List<Long>> counts) {
		ReplicatedRunner replicated = this.replicated;
		return (replicated != null) ? replicated.run(script, keys, arguments, answer, counts)
				: this.scripts.run(script, keys, arguments, answer);
	}

	boolean isReplicated() {
		return this.replicated != null;
	}

	boolean isBlocking() {
		return this.scripts.isBlocking();
	}

	SlotRule slots() {
		return this.scripts.slots();
	}

	Object server(byte[] key) {
		return this.scripts.server(key);
	}

	void close() {
		ReplicatedRunner replicated = this.replicated;
		if (replicated != null) {
			replicated.close();
		}
		this.scripts.close();
	}

}
