package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockable.engine.runtime.SystemRuntime;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;

/**
 * A master whose answers a test controls.
 */
final class ScriptedMaster implements ScriptRunner {

	private final List<LuaScript> asked = new CopyOnWriteArrayList<>();

	private final Queue<ScriptCall<?>> open = new ArrayDeque<>();

	/**
	 * Creates a store.
	 * @param masters its masters
	 * @param timeout the time limit for the answer of one master
	 * @return the store
	 */
	static RedlockLockStore store(List<ScriptedMaster> masters, Duration timeout) {
		long nanos = timeout.toNanos();
		SystemRuntime runtime = new SystemRuntime();
		List<RedlockMaster> all = masters.stream()
			.map((master) -> new RedlockMaster("master", master, nanos, runtime))
			.toList();
		return new RedlockLockStore(new RedlockMasters(all, nanos, runtime), runtime::close, "Redlock");
	}

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
	List<LuaScript> asked() {
		return this.asked;
	}

	/**
	 * Answers the oldest unanswered script.
	 * @param answer the answer
	 */
	void answer(Long... answer) {
		this.open.remove().complete(List.of(answer), true);
	}

	/**
	 * Fails the oldest unanswered script.
	 * @param failure the failure
	 */
	void fail(RuntimeException failure) {
		this.open.remove().fail(failure);
	}

	/**
	 * Answers yes to the oldest unanswered script.
	 * @return whether there was one
	 */
	boolean agree() {
		ScriptCall<?> call = this.open.peek();
		if (call == null) {
			return false;
		}
		if (call.script().equals(RedlockMaster.ACQUIRE)) {
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
