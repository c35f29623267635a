package io.lockable.redis;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.ScriptCall;
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

	private final Queue<ScriptCall<?>> open = new ArrayDeque<>();

	@Override
	public void run(ScriptCall<?> call) {
		this.open.add(call);
		// Last: once a test sees the script, it may answer from another thread.
		this.asked.add(call.script());
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
		this.open.remove().complete(List.of(answer), true);
	}

	/**
	 * Fails the oldest unanswered script.
	 * @param failure the failure
	 */
	public void fail(RuntimeException failure) {
		this.open.remove().fail(failure);
	}

	/**
	 * Answers yes to the oldest unanswered script.
	 * @return whether there was one
	 */
	public boolean agree() {
		ScriptCall<?> call = this.open.peek();
		if (call == null) {
			return false;
		}
		if (call.script().equals(ACQUIRE)) {
			answer(1L, 1L);
		}
		else {
			answer(1L);
		}
		return true;
	}

	@Override
	public SlotRule slots() {
		return new SlotRule(true);
	}

	@Override
	public Object server(byte[] key) {
		return this;
	}

}
