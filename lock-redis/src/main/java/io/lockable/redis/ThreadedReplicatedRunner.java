package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Runs what a {@link ReplicatedRunner} of a cluster blocks for on
 * {@linkplain ServerThreads threads of its servers}.
 */
final class ThreadedReplicatedRunner implements ReplicatedRunner {

	private final ReplicatedRunner blocking;

	private final ScriptRunner servers;

	private final ServerThreads threads;

	/**
	 * Creates a runner.
	 * @param blocking runs the scripts
	 * @param servers says which server has a key
	 * @param threads the threads
	 */
	ThreadedReplicatedRunner(ReplicatedRunner blocking, ScriptRunner servers, ServerThreads threads) {
		this.blocking = blocking;
		this.servers = servers;
		this.threads = threads;
	}

	@Override
	public <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer, Predicate<List<Long>> counts) {
		return this.threads.run(this.servers.server(keys[0]),
				() -> this.blocking.run(script, keys, arguments, answer, counts));
	}

	@Override
	public void close() {
		this.threads.close();
		this.blocking.close();
	}

}
