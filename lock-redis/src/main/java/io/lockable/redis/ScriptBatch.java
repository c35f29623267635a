package io.lockable.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.lockable.redis.ScriptCall.How;
import org.jspecify.annotations.Nullable;

/**
 * Several acquisitions and releases that one script does, each for itself: a server needs
 * half of the time for them, and a client as well.
 *
 * <p>
 * What that script cannot do is run alone afterwards: what takes more than a lock that
 * one owner holds and nobody waits for, and what fails. So an error of one is told to
 * that one.
 */
final class ScriptBatch {

	static final LuaScript SCRIPT = LuaScript.ofList("batch");

	/**
	 * What the script answers instead of what only 'acquire' or 'release' can answer: no
	 * token, and no remaining lease.
	 */
	static final long ALONE = -(1L << 53);

	/**
	 * Keeps the script short enough not to be felt by other clients of the server.
	 */
	static final int MAX = 64;

	private static final byte[] NO_LEASE = new byte[0];

	private final List<ScriptCall> parts;

	private final Consumer<ScriptCall> again;

	private ScriptBatch(List<ScriptCall> parts, Consumer<ScriptCall> again) {
		this.parts = List.copyOf(parts);
		this.again = again;
	}

	/**
	 * Joins what follows each other and can be done by one script.
	 * @param calls what to run, in order
	 * @param again gets what has to be run alone
	 * @return what to run instead, in the same order
	 */
	static List<ScriptCall> join(List<ScriptCall> calls, Consumer<ScriptCall> again) {
		if (calls.size() == 1) {
			return calls;
		}
		List<ScriptCall> joined = new ArrayList<>(calls.size());
		List<ScriptCall> parts = new ArrayList<>(calls.size());
		for (ScriptCall call : calls) {
			boolean joins = canJoin(call);
			if (!joins || parts.size() == MAX) {
				finish(parts, again, joined);
			}
			(joins ? parts : joined).add(call);
		}
		finish(parts, again, joined);
		return joined;
	}

	/**
	 * Returns whether the batch's script can do the same.
	 * @param call what to run
	 * @return whether it may be a part of a batch
	 */
	static boolean canJoin(ScriptCall call) {
		return call.how() == How.ANYHOW
				&& (call.script().equals(RedisLockStore.ACQUIRE) || call.script().equals(RedisLockStore.RELEASE));
	}

	private static void finish(List<ScriptCall> parts, Consumer<ScriptCall> again, List<ScriptCall> joined) {
		if (parts.size() > 1) {
			joined.add(new ScriptBatch(parts, again).call());
		}
		else {
			joined.addAll(parts);
		}
		parts.clear();
	}

	private ScriptCall call() {
		byte[][] keys = new byte[2 * this.parts.size()][];
		byte[][] arguments = new byte[2 * this.parts.size()][];
		int at = 0;
		for (ScriptCall part : this.parts) {
			boolean acquires = part.script().equals(RedisLockStore.ACQUIRE);
			keys[at] = part.keys()[LockKeys.LOCK];
			arguments[at++] = part.arguments()[0];
			keys[at] = part.keys()[acquires ? LockKeys.TOKEN : LockKeys.QUEUE];
			arguments[at++] = acquires ? part.arguments()[1] : NO_LEASE;
		}
		return new ScriptCall(SCRIPT, keys, arguments, How.ALONE, this::answered);
	}

	private void answered(@Nullable List<Long> integers, @Nullable Throwable failure) {
		for (int i = 0; i < this.parts.size(); i++) {
			ScriptCall part = this.parts.get(i);
			Long answer = (integers != null) ? integers.get(i) : null;
			if (RedisFailures.isFromServer(failure) || (answer != null && answer == ALONE)) {
				this.again.accept(part);
			}
			else {
				part.answered().accept((answer != null) ? List.of(answer) : null, failure);
			}
		}
	}

}
