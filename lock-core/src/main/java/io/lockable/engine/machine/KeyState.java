package io.lockable.engine.machine;

import io.lockable.Internal;

/**
 * The state of one key in an instance. Immutable.
 * <h2>Invariants</h2>
 * <ol>
 * <li>An instance requests a lock or has it, never both.</li>
 * <li>A successor enters only before the local deadline of the {@linkplain Tenure
 * tenure}: until then, no other instance can hold the lock. A transfer, at most one in
 * flight, sends the new owner token and lease to the server. The transfer is omitted if
 * the lock is retained and enough of its lease and tokens is left. If the server refuses
 * the transfer, the current lease is lost.</li>
 * <li>A release completes with the answer to a command that was sent after it. It
 * completes at once if the lock stays here without a command, or when the tenure ends
 * ({@link Holding.Releases}).</li>
 * <li>A lock is retained only before the local deadline, and only while other instances
 * can recall it. The owner token on the server has the address of this instance, the
 * instance is subscribed, and no other instance is known to wait.</li>
 * <li>With a store that {@linkplain KeySettings#confirms() needs confirmation}, a message
 * only triggers another command, and no request enters during a transfer. Each holder
 * therefore has an answer to its own owner token.</li>
 * <li>Each owner token that the server may know is in the state, or was abandoned before
 * the state lost it. An abandoned token is never used again: a late release cannot hit a
 * new acquisition.</li>
 * <li>The message of a grant counts only if the server sent it after its last refusal to
 * the same owner token, by the order of their fencing tokens: no clock orders them. The
 * lease then counts from the refused command. A process that was paused reads old
 * messages after new answers. Any other message triggers another command.</li>
 * <li>A request is in the queue until its outcome is decided, and is completed by the
 * step that removes it.</li>
 * <li>No request enters while the lock is kept for {@code minHold}.</li>
 * <li>While requests wait and no local holder has the lock, a command is in flight or
 * scheduled: no request depends on a message alone.</li>
 * </ol>
 */
@Internal
public sealed interface KeyState permits KeyState.Idle, Acquiring, Holding, KeyState.Retired {

	/**
	 * Returns the waiting requests.
	 * @return the requests, in order of arrival
	 */
	WaitQueue waiting();

	/**
	 * The instance neither requests the lock nor has it: the initial state, also used
	 * within a step.
	 *
	 * @param waiting the requests
	 */
	record Idle(WaitQueue waiting) implements KeyState {

	}

	/**
	 * The key has no waiter and no holder. The state never changes again.
	 */
	record Retired() implements KeyState {

		@Override
		public WaitQueue waiting() {
			return WaitQueue.EMPTY;
		}

	}

}
