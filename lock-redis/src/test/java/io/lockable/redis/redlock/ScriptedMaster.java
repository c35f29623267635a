package io.lockable.redis.redlock;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;

/**
 * A master whose answers a test controls.
 */
public final class ScriptedMaster implements ScriptRunner {

	public static final LuaScript ACQUIRE = RedlockMaster.ACQUIRE;

	public static final LuaScript SETTLE = RedlockMaster.SETTLE;

	public static final LuaScript RELEASE = RedlockMaster.RELEASE;

	public static final LuaScript EXTEND = RedlockMaster.EXTEND;

	public static final LuaScript RESTORE = RedlockMaster.RESTORE;

	public static final LuaScript KEEP = RedlockMaster.KEEP;

	private final List<LuaScript> asked = new CopyOnWriteArrayList<>();

	private final Queue<CompletableFuture<List<Long>>> open = new ArrayDeque<>();

	private final Queue<LuaScript> unanswered = new ArrayDeque<>();

	@Override
	public <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer) {
		CompletableFuture<List<Long>> result = new CompletableFuture<>();
		this.open.add(result);
		this.unanswered.add(script);
		// Last: once a test sees the script, it may answer from another thread.
		this.asked.add(script);
		return result.thenApply(answer);
	}

	/**
	 * Returns the scripts sent so far.
	 * @return the scripts, the first one first
	 */
	public List<LuaScript> asked() {
		return this.asked;
	}

	/**
	 * Answers the oldest unanswered script.
	 * @param answer the answer
	 */
	public void answer(Long... answer) {
		this.unanswered.remove();
		this.open.remove().complete(List.of(answer));
	}

	/**
	 * Fails the oldest unanswered script.
	 * @param failure the failure
	 */
	public void fail(RuntimeException failure) {
		this.unanswered.remove();
		this.open.remove().completeExceptionally(failure);
	}

	/**
	 * Answers yes to the oldest unanswered script.
	 * @return whether there was one
	 */
	public boolean agree() {
		LuaScript script = this.unanswered.peek();
		if (script == null) {
			return false;
		}
		if (script.equals(ACQUIRE)) {
			answer(1L, 1L);
		}
		else {
			answer(1L);
		}
		return true;
	}

	@Override
	public boolean isBlocking() {
		return false;
	}

	@Override
	public SlotRule slots() {
		return new SlotRule(true);
	}

	@Override
	public Object server(byte[] key) {
		return this;
	}

	@Override
	public void close() {
		// Nothing to close.
	}

}
