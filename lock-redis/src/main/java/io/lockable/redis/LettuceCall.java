package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockable.redis.LettuceCommand.Sending;

/**
 * A script that is run until replicas have what it wrote; it may take several tries.
 *
 * <p>
 * One thread at a time has it: the one that queues it, then the one that gets its answer.
 *
 * @param <T> the answer's type
 */
final class LettuceCall<T> {

	private static final int MAX_REPEATS = 5;

	private final LuaScript script;

	private final byte[][] keys;

	private final byte[][] arguments;

	private final Function<List<Long>, T> answer;

	private final Predicate<List<Long>> counts;

	private final CompletableFuture<T> result = new CompletableFuture<>();

	private volatile boolean unknownScript;

	private volatile boolean asking;

	private final AtomicInteger repeats = new AtomicInteger();

	LettuceCall(LuaScript script, byte[][] keys, byte[][] arguments, Function<List<Long>, T> answer,
			Predicate<List<Long>> counts) {
		this.script = script;
		this.keys = keys;
		this.arguments = arguments;
		this.answer = answer;
		this.counts = counts;
	}

	byte[] key() {
		return this.keys[0];
	}

	CompletableFuture<T> result() {
		return this.result;
	}

	Sending<List<Long>> command() {
		return LettuceCommand.ofScript(this.script, this.unknownScript, this.keys, this.arguments);
	}

	/**
	 * Returns whether the node is only about to get the slot, and must be told that we
	 * know.
	 * @return whether to send {@code ASKING} first
	 */
	boolean isAsking() {
		return this.asking;
	}

	/**
	 * Prepares another try.
	 * @param asking whether it goes to a node that is only about to get the slot
	 * @return {@code false} if there were enough
	 */
	boolean repeat(boolean asking) {
		this.asking = asking;
		return this.repeats.incrementAndGet() <= MAX_REPEATS;
	}

	/**
	 * Prepares another try with the source of the script.
	 * @return {@code false} if that was tried
	 */
	boolean repeatWithSource() {
		boolean first = !this.unknownScript;
		this.unknownScript = true;
		return first;
	}

	boolean counts(List<Long> integers) {
		return this.counts.test(integers);
	}

	void complete(List<Long> integers) {
		ScriptCall.complete(this.result, this.answer, integers);
	}

	void fail(Throwable failure) {
		this.result.completeExceptionally(RedisFailures.translate(failure));
	}

}
