package io.lockable.engine.queue;

import io.lockable.Internal;

/**
 * All that an instance knows of one key. Immutable.
 *
 * <h2>Invariants</h2>
 * <ol>
 * <li>An instance asks for a lock or has it, never both.</li>
 * <li>A successor enters only before the local deadline of the {@linkplain Tenure
 * tenure}: until then no other instance can hold the lock. A transfer, at most one in
 * flight, sends the new owner token and lease to the server, unless the lock is retained
 * and enough of its lease and tokens is left. If the server refuses the transfer, the
 * current lease is lost.</li>
 * <li>A release completes with the answer to a command that was sent after it, at once if
 * the lock stays here without a command, or when the tenure ends
 * ({@link Holding.Releases}).</li>
 * <li>A lock is retained only before the local deadline, and while another instance that
 * asks for it is heard: the owner token on the server has the address of this instance,
 * the instance is subscribed, and no other instance is known to wait.</li>
 * <li>With a store that {@linkplain KeySettings#confirms() needs confirmation}, a message
 * only lets the request ask again, and nobody enters during a transfer. So each holder
 * has an answer in its own name.</li>
 * <li>Each owner token that the server may know is in the state, or was abandoned before
 * the state lost it. An abandoned token is never asked for again: a late release cannot
 * hit a new acquisition.</li>
 * <li>The message of a grant counts only if the server sent it after its last refusal to
 * the same owner token: a process that was paused reads old messages after new answers.
 * Any other message is a reason to ask.</li>
 * <li>A request is in the line until its outcome is decided, and is completed by the step
 * that removes it.</li>
 * <li>No request enters while the lock is kept for {@code minHold}.</li>
 * <li>While requests wait and nobody here holds the lock, a command is in flight or a
 * look is scheduled: no request depends on a message alone.</li>
 * </ol>
 */
@Internal
public sealed interface KeyState permits KeyState.Idle, Acquiring, Holding, KeyState.Retired {

	/**
	 * Returns the requests that wait.
	 * @return the requests, in the order of their arrival
	 */
	Line line();

	/**
	 * The instance neither asks for the lock nor has it: as a key begins, and within a
	 * step.
	 *
	 * @param line the requests
	 */
	record Idle(Line line) implements KeyState {

	}

	/**
	 * Nothing waits or holds. The state never changes again.
	 */
	record Retired() implements KeyState {

		@Override
		public Line line() {
			return Line.EMPTY;
		}

	}

}
