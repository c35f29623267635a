package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.lockable.LockStoreException;

/**
 * Runs scripts on the server that owns their keys.
 */
interface ScriptRunner extends AutoCloseable {

	/**
	 * Runs a script by its digest, and by its source where the server does not know it
	 * (yet, or any more).
	 * @param script the script
	 * @param keys its keys, all in one hash slot
	 * @param arguments its arguments
	 * @param answer reads the integers that the script answers
	 * @param <T> the answer's type
	 * @return the answer, or a {@link LockStoreException}
	 */
	<T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments, Function<List<Long>, T> answer);

	/**
	 * Returns whether {@link #run} blocks until the server has answered.
	 * @return whether it blocks
	 */
	boolean isBlocking();

	/**
	 * Returns how many keys of different slots one script may have.
	 * @return whether the server is a single one, not a cluster
	 */
	boolean isSingleServer();

	@Override
	void close();

}
