package io.lockable.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A script that somebody wants to be run.
 */
final class ScriptCall {

	/**
	 * What is known by a "not held" of a script that {@linkplain LuaScript#freeing()
	 * frees}, if the client has sent the command again after it had lost a connection:
	 * the owner does not hold the lock, and an earlier copy may have freed it.
	 */
	static final long SENT_AGAIN = -1;

	private final LuaScript script;

	private final byte[][] keys;

	private final byte[][] arguments;

	private final How how;

	private final Answered answered;

	/**
	 * Creates a call.
	 * @param script the script
	 * @param keys its keys
	 * @param arguments its arguments
	 * @param how how to run it
	 * @param answered gets the integers that it answers, or the failure
	 */
	ScriptCall(LuaScript script, byte[][] keys, byte[][] arguments, How how, Answered answered) {
		this.script = script;
		this.keys = keys;
		this.arguments = arguments;
		this.how = how;
		this.answered = answered;
	}

	LuaScript script() {
		return this.script;
	}

	byte[][] keys() {
		return this.keys;
	}

	byte[][] arguments() {
		return this.arguments;
	}

	How how() {
		return this.how;
	}

	Answered answered() {
		return this.answered;
	}

	/**
	 * Says how else to run the same script.
	 * @param other how to run it
	 * @return the same, to be run like that
	 */
	ScriptCall to(How other) {
		return new ScriptCall(this.script, this.keys, this.arguments, other, this.answered);
	}

	/**
	 * Returns the same call to run by the source of the script, after a server that did
	 * not know the digest.
	 * @param sentOnce whether no other copy of this call may have been executed
	 * @return the call
	 */
	ScriptCall bySource(boolean sentOnce) {
		Answered next = sentOnce ? this.answered
				: (integers, failure, once) -> this.answered.accept(integers, failure, false);
		return new ScriptCall(this.script, this.keys, this.arguments, How.BY_SOURCE, next);
	}

	/**
	 * Replaces a "not held" of a release that was sent more than once by
	 * {@link #SENT_AGAIN}.
	 * @param script the script
	 * @param integers what the script answered
	 * @param sentOnce whether the command was sent once
	 * @return what is known by that answer
	 */
	static List<Long> known(LuaScript script, List<Long> integers, boolean sentOnce) {
		if (sentOnce || !script.isFreeing() || integers.get(0) != 0) {
			return integers;
		}
		List<Long> known = new ArrayList<>(integers);
		known.set(0, SENT_AGAIN);
		return known;
	}

	/**
	 * Completes what the caller waits for.
	 * @param result what the caller waits for
	 * @param answer reads the integers
	 * @param integers what the script answered
	 * @param <T> the answer's type
	 */
	static <T> void complete(CompletableFuture<T> result, Function<List<Long>, T> answer, List<Long> integers) {
		try {
			result.complete(answer.apply(integers));
		}
		catch (RuntimeException ex) {
			result.completeExceptionally(ex);
		}
	}

	/**
	 * Gets the outcome of a call. Throws nothing.
	 */
	@FunctionalInterface
	interface Answered {

		/**
		 * Gets the outcome.
		 * @param integers what the script answered, or {@code null} if it failed
		 * @param failure the failure, or {@code null}
		 * @param sentOnce whether the answer is that of the only copy that was sent
		 */
		void accept(@Nullable List<Long> integers, @Nullable Throwable failure, boolean sentOnce);

	}

	/**
	 * How a script is run.
	 */
	enum How {

		/**
		 * By its digest, or as a part of a batch.
		 */
		ANYHOW,

		/**
		 * By its digest, in no batch.
		 */
		ALONE,

		/**
		 * By its source, as the server did not know the digest.
		 */
		BY_SOURCE

	}

}
