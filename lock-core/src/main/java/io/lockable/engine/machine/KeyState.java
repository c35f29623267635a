package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;

import io.lockable.engine.machine.Effect.Request;
import org.jspecify.annotations.Nullable;

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
 * <li>With a store that {@linkplain Inputs.Settings#confirms() needs confirmation}, a
 * message only triggers another command, and no request enters during a transfer. Each
 * holder therefore has an answer to its own owner token.</li>
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
public sealed interface KeyState permits KeyState.Idle, Acquiring, Holding, KeyState.Retired {

	/**
	 * Returns the waiting requests.
	 * @return the requests, in order of arrival
	 */
	WaitQueue waiting();

	/**
	 * Replaces the waiting requests.
	 * @param newWaiting the requests
	 * @return the copy
	 */
	KeyState with(WaitQueue newWaiting);

	/**
	 * Returns the waiting requests.
	 * @return the requests, in order of arrival
	 */
	default List<Request> requests() {
		return waiting().requests();
	}

	/**
	 * Returns whether a holder has the lock.
	 * @param owner its owner token
	 * @return whether its lease is the current one
	 */
	default boolean isLeasedTo(String owner) {
		return false;
	}

	/**
	 * Returns the time until which no other instance can hold the lock.
	 * @return the local deadline
	 * @throws IllegalStateException if this instance does not have the lock
	 */
	default long deadline() {
		throw new IllegalStateException("The lock is not held");
	}

	/**
	 * Returns the owner token that an extension names.
	 * @return the owner token on the server, or {@code null} while that is unknown
	 */
	default @Nullable String extensible() {
		return null;
	}

	/**
	 * Returns whether a holder waits for the answer to a transfer.
	 * @param owner its owner token
	 * @return {@code false} if the server has the owner token of the tenure, or another
	 * holder the lock
	 */
	default boolean isTransferring(String owner) {
		return isLeasedTo(owner) && extensible() == null;
	}

	/**
	 * Returns the lock if this instance retains it without a holder.
	 * @param now the time
	 * @return the lock, or {@code null} if it is not retained
	 */
	default @Nullable Retention retained(long now) {
		return null;
	}

	/**
	 * The instance neither requests the lock nor has it: the initial state, also used
	 * within a step.
	 *
	 * @param waiting the requests
	 */
	record Idle(WaitQueue waiting) implements KeyState {

		@Override
		public Idle with(WaitQueue newWaiting) {
			return new Idle(newWaiting);
		}

	}

	/**
	 * The key has no waiter and no holder. The state never changes again.
	 */
	record Retired() implements KeyState {

		@Override
		public WaitQueue waiting() {
			return WaitQueue.EMPTY;
		}

		@Override
		public Retired with(WaitQueue newWaiting) {
			return this;
		}

	}

	/**
	 * A retained lock.
	 *
	 * @param owner the owner token on the server
	 * @param remaining the rest of the retain time
	 */
	record Retention(String owner, Duration remaining) {

	}

}
