package io.lockable.redis.script;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

import io.lockable.Internal;
import io.lockable.redis.script.ScriptCall.Mode;
import org.jspecify.annotations.Nullable;

/**
 * Several independent acquisitions and releases in one script, which cost a server less
 * than one command each. {@link SlotRule} defines what happens if one of them or the
 * script fails.
 *
 * @since 0.1.0
 */
@Internal
public final class ScriptBatch {

	static final LuaScript SCRIPT = LuaScript.ofList("batch");

	/**
	 * Bounds the run time of the script, which blocks all other clients of the server.
	 */
	public static final int MAX = 64;

	private final List<ScriptCall> parts;

	private final SlotRule slots;

	private final Consumer<ScriptCall> again;

	private ScriptBatch(List<ScriptCall> parts, SlotRule slots, Consumer<ScriptCall> again) {
		this.parts = List.copyOf(parts);
		this.slots = slots;
		this.again = again;
	}

	/**
	 * Joins adjacent calls that one script can do.
	 * @param calls the calls, in order
	 * @param slots whether one script may have the keys of several locks
	 * @param again receives the calls that must be run alone
	 * @return the calls to run instead, in the same order
	 */
	public static List<ScriptCall> join(List<ScriptCall> calls, SlotRule slots, Consumer<ScriptCall> again) {
		if (calls.size() == 1 || !slots.mayMix()) {
			return calls;
		}
		List<ScriptCall> joined = new ArrayList<>(calls.size());
		List<ScriptCall> parts = new ArrayList<>(calls.size());
		for (ScriptCall call : calls) {
			boolean joins = canJoin(call);
			if (!joins || parts.size() == MAX) {
				finish(parts, slots, again, joined);
			}
			(joins ? parts : joined).add(call);
		}
		finish(parts, slots, again, joined);
		return joined;
	}

	/**
	 * Returns whether a batch can contain a call.
	 * @param call the call
	 * @return whether it may be a part of a batch
	 */
	public static boolean canJoin(ScriptCall call) {
		return call.mode() == Mode.JOINABLE && (isAcquisition(call) || call.script().equals(LockScripts.RELEASE));
	}

	private static void finish(List<ScriptCall> parts, SlotRule slots, Consumer<ScriptCall> again,
			List<ScriptCall> joined) {
		if (parts.size() > 1) {
			joined.add(new ScriptBatch(parts, slots, again).call());
		}
		else {
			joined.addAll(parts);
		}
		parts.clear();
	}

	private ScriptCall call() {
		List<byte[]> keys = new ArrayList<>(6 * this.parts.size());
		List<byte[]> arguments = new ArrayList<>(2 * this.parts.size());
		for (ScriptCall part : this.parts) {
			Collections.addAll(keys, part.keys());
			arguments.add(part.arguments()[0]);
			byte[] second = part.arguments()[1];
			arguments.add(isAcquisition(part) ? second : negative(second));
		}
		return new ScriptCall(SCRIPT, keys.toArray(byte[][]::new), arguments.toArray(byte[][]::new), Mode.ALONE,
				this::answered);
	}

	/**
	 * Marks the waiter timeout of a release; an acquisition has its lease in the same
	 * place.
	 */
	private static byte[] negative(byte[] number) {
		byte[] negative = new byte[number.length + 1];
		negative[0] = '-';
		System.arraycopy(number, 0, negative, 1, number.length);
		return negative;
	}

	private static boolean isAcquisition(ScriptCall part) {
		return part.script().equals(LockScripts.ACQUIRE);
	}

	private void answered(@Nullable List<Long> integers, @Nullable Throwable failure, boolean sentOnce) {
		for (int i = 0; i < this.parts.size(); i++) {
			ScriptCall part = this.parts.get(i);
			Long answer = (integers != null) ? integers.get(i) : null;
			if (this.slots.mustRunAlone(answer, failure)) {
				this.again.accept(part);
			}
			else {
				part.callback().accept((answer != null) ? List.of(answer) : null, failure, sentOnce);
			}
		}
	}

}
