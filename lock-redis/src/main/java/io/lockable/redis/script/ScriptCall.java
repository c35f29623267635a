package io.lockable.redis.script;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

/**
 * A script with its keys, its arguments and the callback for its outcome. A call is equal
 * only to itself.
 *
 * @param script the script
 * @param keys its keys
 * @param arguments its arguments
 * @param mode the mode to run it in
 * @param callback receives the outcome
 * @since 0.1.0
 */
@Internal
@SuppressWarnings("ArrayRecordComponent")
public record ScriptCall(LuaScript script, byte[][] keys, byte[][] arguments, Mode mode, Callback callback) {

	/**
	 * Replaces the answer "not held" of a script that {@linkplain LuaScript.Trait#FREEING
	 * frees}, if the client sent the command again after it lost a connection. The owner
	 * does not hold the lock, and an earlier copy may have freed it.
	 */
	public static final long SENT_AGAIN = -1;

	/**
	 * Creates a call that completes a future.
	 * @param script the script
	 * @param keys its keys
	 * @param arguments its arguments
	 * @param mode the mode to run it in
	 * @param answer reads the integers of the script's answer
	 * @param result completes with the answer, or with a
	 * {@link io.lockable.LockStoreException}
	 * @param <T> the answer's type
	 * @return the call
	 */
	public static <T> ScriptCall completing(LuaScript script, byte[][] keys, byte[][] arguments, Mode mode,
			Function<List<Long>, T> answer, CompletableFuture<T> result) {
		return new ScriptCall(script, keys, arguments, mode, (integers, failure, sentOnce) -> {
			try {
				if (integers == null || failure != null) {
					throw RedisFailures.translate(
							(failure != null) ? failure : new IllegalStateException("The script returned nothing"));
				}
				result.complete(answer.apply(afterResend(script, integers, sentOnce)));
			}
			catch (RuntimeException ex) {
				result.completeExceptionally(ex);
			}
		});
	}

	/**
	 * Completes the call with a failure.
	 * @param failure the failure
	 */
	public void fail(Throwable failure) {
		this.callback.accept(null, failure, true);
	}

	/**
	 * Returns the same call with another mode.
	 * @param other the mode to run it in
	 * @return the call
	 */
	public ScriptCall in(Mode other) {
		return new ScriptCall(this.script, this.keys, this.arguments, other, this.callback);
	}

	/**
	 * Returns the same call with another callback that runs before its own.
	 * @param first receives the outcome first
	 * @return the call
	 */
	public ScriptCall before(Callback first) {
		return new ScriptCall(this.script, this.keys, this.arguments, this.mode, (integers, failure, sentOnce) -> {
			first.accept(integers, failure, sentOnce);
			this.callback.accept(integers, failure, sentOnce);
		});
	}

	/**
	 * Returns the same call to run by source, after a server did not know the digest.
	 * @param sentOnce whether no other copy of this call can have been executed
	 * @return the call
	 */
	public ScriptCall bySource(boolean sentOnce) {
		Callback next = sentOnce ? this.callback
				: (integers, failure, once) -> this.callback.accept(integers, failure, false);
		return new ScriptCall(this.script, this.keys, this.arguments, Mode.BY_SOURCE, next);
	}

	/**
	 * Returns the keys, followed by the arguments.
	 * @return the keys and arguments
	 */
	public byte[][] keysAndArguments() {
		return concatenated(this.keys, this.arguments);
	}

	/**
	 * Returns the words of the command that runs the script.
	 * @param bySource whether to send the source instead of the digest
	 * @return the name of the command and its arguments
	 */
	public byte[][] command(boolean bySource) {
		byte[][] start = ScriptArguments.bytes(bySource ? "EVAL" : "EVALSHA",
				bySource ? this.script.source() : this.script.digest(), Integer.toString(this.keys.length));
		return concatenated(start, keysAndArguments());
	}

	private static byte[][] concatenated(byte[][] first, byte[][] second) {
		byte[][] all = Arrays.copyOf(first, first.length + second.length);
		System.arraycopy(second, 0, all, first.length, second.length);
		return all;
	}

	static List<Long> afterResend(LuaScript script, List<Long> integers, boolean sentOnce) {
		if (sentOnce || !script.is(LuaScript.Trait.FREEING) || integers.get(0) != 0) {
			return integers;
		}
		List<Long> unknown = new ArrayList<>(integers);
		unknown.set(0, SENT_AGAIN);
		return unknown;
	}

	/**
	 * Receives the outcome of a call. Must not throw.
	 */
	@FunctionalInterface
	public interface Callback {

		/**
		 * Receives the outcome.
		 * @param integers the script's answer, or {@code null} after a failure
		 * @param failure the failure, or {@code null}
		 * @param sentOnce whether the answer belongs to the only copy that was sent
		 */
		void accept(@Nullable List<Long> integers, @Nullable Throwable failure, boolean sentOnce);

	}

	/**
	 * The way to run a script.
	 */
	public enum Mode {

		/**
		 * By digest, alone or as a part of a batch.
		 */
		JOINABLE,

		/**
		 * By digest, never in a batch.
		 */
		ALONE,

		/**
		 * By source, because the server did not know the digest.
		 */
		BY_SOURCE

	}

}
