package io.lockable.redis.blocking;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.lockable.Internal;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;

/**
 * Moves a blocking script runner to {@linkplain ServerThreads threads of each server}, so
 * that several servers can be asked at the same time.
 *
 * @since 0.1.0
 */
@Internal
public final class ThreadedScriptRunner implements ScriptRunner {

	private final ScriptRunner blocking;

	private final ServerThreads threads;

	/**
	 * Creates a runner.
	 * @param blocking the blocking runner
	 * @param threadName the name of the threads
	 */
	public ThreadedScriptRunner(ScriptRunner blocking, String threadName) {
		this.blocking = blocking;
		this.threads = new ServerThreads(threadName, ServerThreads.THREADS);
	}

	@Override
	public <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer) {
		return this.threads.run(server(keys[0]), () -> this.blocking.run(script, keys, arguments, answer));
	}

	@Override
	public Object server(byte[] key) {
		return this.blocking.server(key);
	}

	@Override
	public SlotRule slots() {
		return this.blocking.slots();
	}

	/**
	 * Rejects new scripts. Scripts already sent complete.
	 */
	@Override
	public void close() {
		this.threads.close();
		this.blocking.close();
	}

}
