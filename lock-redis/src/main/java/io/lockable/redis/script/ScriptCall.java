package io.lockable.redis.script;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A script with its keys and arguments, and the outcome that a {@link ScriptRunner} gives
 * it. A call is equal only to itself.
 *
 * @param script the script
 * @param keys its keys, in one hash slot unless the runner's {@link SlotRule} allows
 * several
 * @param arguments its arguments
 * @param answer reads the integers of the script's answer
 * @param outcome completes with the answer, or with a
 * {@link io.lockable.LockStoreException}
 * @param <T> the answer's type
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent")
public record ScriptCall<T>(LuaScript script, byte[][] keys, byte[][] arguments, Function<List<Long>, T> answer,
		CompletableFuture<T> outcome) {

	/**
	 * Replaces the answer "not held" of a script that {@linkplain LuaScript.Trait#FREEING
	 * frees}, if the client sent the command again after it lost a connection. The owner
	 * does not hold the lock, and an earlier copy may have freed it.
	 */
	public static final long SENT_AGAIN = -1;

	/**
	 * Completes the call with the answer of a server.
	 * @param integers the script's answer
	 * @param sentOnce whether the answer belongs to the only copy that was sent
	 */
	public void complete(List<Long> integers, boolean sentOnce) {
		try {
			this.outcome.complete(this.answer.apply(sentOnce ? integers : afterResend(integers)));
		}
		catch (Throwable ex) {
			fail(ex);
		}
	}

	private List<Long> afterResend(List<Long> integers) {
		if (!this.script.is(LuaScript.Trait.FREEING) || integers.get(0) != 0) {
			return integers;
		}
		List<Long> unknown = new ArrayList<>(integers);
		unknown.set(0, SENT_AGAIN);
		return unknown;
	}

	/**
	 * Completes the call with a failure.
	 * @param failure the failure
	 */
	public void fail(Throwable failure) {
		this.outcome.completeExceptionally(RedisFailures.translate(failure));
	}

	/**
	 * Returns the keys, followed by the arguments.
	 * @return the keys and arguments
	 */
	public byte[][] keysAndArguments() {
		byte[][] all = Arrays.copyOf(this.keys, this.keys.length + this.arguments.length);
		System.arraycopy(this.arguments, 0, all, this.keys.length, this.arguments.length);
		return all;
	}

	/**
	 * Returns the words of the command that runs the script.
	 * @param bySource whether to send the source instead of the digest
	 * @return the name of the command and its arguments
	 */
	public byte[][] command(boolean bySource) {
		byte[][] words = new byte[3 + this.keys.length + this.arguments.length][];
		words[0] = ScriptArguments.bytes(bySource ? "EVAL" : "EVALSHA");
		words[1] = ScriptArguments.bytes(bySource ? this.script.source() : this.script.digest());
		words[2] = ScriptArguments.bytes(Integer.toString(this.keys.length));
		System.arraycopy(this.keys, 0, words, 3, this.keys.length);
		System.arraycopy(this.arguments, 0, words, 3 + this.keys.length, this.arguments.length);
		return words;
	}

}
