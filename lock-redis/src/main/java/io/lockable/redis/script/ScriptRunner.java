package io.lockable.redis.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Runs scripts on the server that owns their keys.
 *
 * @since 0.1.0
 */
public interface ScriptRunner extends AutoCloseable {

	/**
	 * Runs a script by digest, or by source if the server does not know the digest, and
	 * completes the call. Never throws, and does not block.
	 * @param call the script, its keys and its arguments
	 */
	void run(ScriptCall<?> call);

	/**
	 * Runs a script.
	 * @param script the script
	 * @param keys its keys
	 * @param arguments its arguments
	 * @param answer reads the integers of the script's answer
	 * @param <T> the answer's type
	 * @return the answer, or a {@link io.lockable.LockStoreException}
	 */
	default <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer) {
		ScriptCall<T> call = new ScriptCall<>(script, keys, arguments, answer, new CompletableFuture<>());
		run(call);
		return call.outcome();
	}

	/**
	 * Returns whether a server executes the scripts for a key in the order of the calls.
	 * @return {@code false} if they use several connections
	 */
	default boolean isOrdered() {
		return true;
	}

	/**
	 * Returns whether one script may have the keys of several locks.
	 * @return the rule of the server
	 */
	SlotRule slots();

	/**
	 * Returns the server of a key. Does not block.
	 * @param key the key
	 * @return an object that is equal for keys of the same server
	 */
	Object server(byte[] key);

	/**
	 * Sets an action for each time that a connection was closed for good and another one
	 * is tried, usually after a stop and start of the connection factory. Subscriptions
	 * of the client may then have ended without notice.
	 * @param action the action, which may block
	 */
	default void onReplaced(Runnable action) {
	}

	@Override
	default void close() {
	}

}
