package io.lockable.engine.queue;

import java.time.Duration;

import io.lockable.Internal;
import io.lockable.LockException;
import io.lockable.LockStoreException;
import io.lockable.store.Grant;
import io.lockable.store.Recall;
import org.jspecify.annotations.Nullable;

/**
 * An event of a key: a call of a user, an answer or message of the server, or the passing
 * of time.
 */
@Internal
public sealed interface KeyEvent {

	/**
	 * Computes the state after this event. Other rules then {@linkplain KeyMachine
	 * settle} it.
	 * @param state the state
	 * @param in the inputs of the step
	 * @param effects receives the effects
	 * @return the next state
	 */
	KeyState on(KeyState state, Inputs in, Effects effects);

	/**
	 * A request arrives.
	 *
	 * @param request the request
	 */
	record Entered(Request request) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.entered(KeyMachine.expire(state, in, effects), this.request, effects);
		}

	}

	/**
	 * The wait of a request is over.
	 *
	 * @param owner its owner token
	 */
	record TimedOut(String owner) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.timedOut(state, this.owner, in, effects);
		}

	}

	/**
	 * The caller cancels a request.
	 *
	 * @param owner its owner token
	 */
	record Cancelled(String owner) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.cancelled(state, this.owner, effects);
		}

	}

	/**
	 * The engine shuts down: all requests fail.
	 *
	 * @param failure their failure
	 */
	record Closing(LockException failure) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.closing(state, this.failure, effects);
		}

	}

	/**
	 * No further answer arrives: all requests and releases fail.
	 *
	 * @param failure their failure
	 */
	record Closed(LockStoreException failure) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.closed(state, this.failure, effects);
		}

	}

	/**
	 * A command was answered.
	 *
	 * @param ask the command
	 * @param answer the answer
	 */
	record Answered(Ask ask, Answer answer) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.answered(state, this.ask, this.answer, in, effects);
		}

	}

	/**
	 * A yielded turn was answered.
	 *
	 * @param ask the queued request
	 * @param answer the answer to it
	 */
	record TurnAnswered(Ask ask, Answer answer) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.turnAnswered(state, this, in, effects);
		}

	}

	/**
	 * A transfer was answered.
	 *
	 * @param transfer the command
	 * @param answer the answer
	 */
	record TransferAnswered(Transfer transfer, Answer answer) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.transferAnswered(state, this, in, effects);
		}

	}

	/**
	 * The server has removed the owner tokens that may have held the lock, or failed to
	 * do so.
	 *
	 * @param orphans the id of the tokens
	 * @param failure the failure, or {@code null}
	 */
	record OrphansAnswered(long orphans, @Nullable LockStoreException failure) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.orphansAnswered(state, this, in, effects);
		}

	}

	/**
	 * A message grants the lock to an owner token.
	 *
	 * @param grant the message
	 */
	record Granted(Grant grant) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.granted(state, this.grant, in, effects);
		}

	}

	/**
	 * A message recalls the lock that this instance has.
	 *
	 * @param recall the message
	 */
	record Recalled(Recall recall) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.recalled(state, this.recall, effects);
		}

	}

	/**
	 * A message reports that the holder uses the lock that this instance requests.
	 *
	 * @param owner the requesting owner token
	 */
	record Busy(String owner) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.busy(state, this.owner, in, effects);
		}

	}

	/**
	 * Messages may have been missed.
	 */
	record Resubscribed() implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.resubscribed(state, in, effects);
		}

	}

	/**
	 * A holder releases.
	 *
	 * @param owner its owner token
	 * @param keptUntil the time until which the lock stays locked, or {@code null}
	 */
	record Released(String owner, @Nullable Long keptUntil) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.released(KeyMachine.expire(state, in, effects), this, in, effects);
		}

	}

	/**
	 * A holder leaves this key and keeps its owner token.
	 *
	 * @param owner its owner token
	 */
	record Dismissed(String owner) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.dismissed(KeyMachine.expire(state, in, effects), this.owner, in, effects);
		}

	}

	/**
	 * The local deadline of a holder has passed.
	 *
	 * @param owner its owner token
	 */
	record LeaseEnded(String owner) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.expire(state, in, effects);
		}

	}

	/**
	 * The engine ends a held lease while it shuts down.
	 *
	 * @param owner the owner token of the holder
	 */
	record ShutDown(String owner) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.shutDown(state, this.owner, in, effects);
		}

	}

	/**
	 * An operator has released the lock by force.
	 *
	 * @param owner the owner token that was on the server
	 */
	record Forced(String owner) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.forced(state, this.owner, in, effects);
		}

	}

	/**
	 * An extension is about to be sent.
	 *
	 * @param owner the owner token of the holder
	 * @param lease the lease from now on
	 */
	record Extending(String owner, Duration lease) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.extending(state, this, in);
		}

	}

	/**
	 * An extension was answered.
	 *
	 * @param holder the owner token of the holder
	 * @param owner the owner token that was extended
	 * @param lease the lease from its sending on
	 * @param sentAt the time at which it was sent
	 * @param extended whether the server had the owner token; {@code null} after a
	 * failure
	 */
	record Extended(String holder, String owner, Duration lease, long sentAt,
			@Nullable Boolean extended) implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.extended(KeyMachine.expire(state, in, effects), this, in, effects);
		}

	}

	/**
	 * Time has passed.
	 */
	record Due() implements KeyEvent {

		@Override
		public KeyState on(KeyState state, Inputs in, Effects effects) {
			return KeyMachine.due(state, in, effects);
		}

	}

}
