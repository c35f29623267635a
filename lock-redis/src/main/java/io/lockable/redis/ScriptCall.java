package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A script that somebody wants to be run.
 */
final class ScriptCall {

	private final LuaScript script;

	private final byte[][] keys;

	private final byte[][] arguments;

	private final How how;

	private final BiConsumer<@Nullable List<Long>, @Nullable Throwable> answered;

	/**
	 * Creates a call.
	 * @param script the script
	 * @param keys its keys
	 * @param arguments its arguments
	 * @param how how to run it
	 * @param answered gets the integers that it answers, or the failure; throws nothing
	 */
	ScriptCall(LuaScript script, byte[][] keys, byte[][] arguments, How how,
			BiConsumer<@Nullable List<Long>, @Nullable Throwable> answered) {
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

	BiConsumer<@Nullable List<Long>, @Nullable Throwable> answered() {
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
