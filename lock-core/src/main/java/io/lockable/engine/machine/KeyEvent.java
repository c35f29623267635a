package io.lockable.engine.machine;

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
	 * Calls the method of a handler for the type of this event.
	 * @param <T> the type of the result
	 * @param handler the handler
	 * @return the result of the method
	 */
	<T> T accept(Handler<T> handler);

	/**
	 * A request arrives.
	 *
	 * @param request the request
	 */
	record Entered(Request request) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * The wait of a request is over.
	 *
	 * @param owner its owner token
	 */
	record TimedOut(String owner) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * The caller cancels a request.
	 *
	 * @param owner its owner token
	 */
	record Cancelled(String owner) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * The engine shuts down: all requests fail.
	 *
	 * @param failure their failure
	 */
	record Closing(LockException failure) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * No further answer arrives: all requests and releases fail.
	 *
	 * @param failure their failure
	 */
	record Closed(LockStoreException failure) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * A command was answered.
	 *
	 * @param ask the command
	 * @param answer the answer
	 */
	record Answered(AcquireCommand ask, Answer answer) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * A yielded turn was answered.
	 *
	 * @param ask the queued request
	 * @param answer the answer to it
	 */
	record TurnAnswered(AcquireCommand ask, Answer answer) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
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
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
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
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * A message grants the lock to an owner token.
	 *
	 * @param grant the message
	 */
	record Granted(Grant grant) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * A message recalls the lock that this instance has.
	 *
	 * @param recall the message
	 */
	record Recalled(Recall recall) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * A message reports that the holder uses the lock that this instance requests.
	 *
	 * @param owner the requesting owner token
	 */
	record Busy(String owner) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * Messages may have been missed.
	 */
	record Resubscribed() implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
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
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * A holder leaves this key and keeps its owner token.
	 *
	 * @param owner its owner token
	 */
	record Dismissed(String owner) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * The local deadline of a holder has passed.
	 *
	 * @param owner its owner token
	 */
	record LeaseEnded(String owner) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * The engine ends a held lease while it shuts down.
	 *
	 * @param owner the owner token of the holder
	 */
	record ShutDown(String owner) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * An operator has released the lock by force.
	 *
	 * @param owner the owner token that was on the server
	 */
	record Forced(String owner) implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
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
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
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
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * Time has passed.
	 */
	record Due() implements KeyEvent {

		@Override
		public <T> T accept(Handler<T> handler) {
			return handler.on(this);
		}

	}

	/**
	 * A method for each type of event.
	 *
	 * @param <T> the type of the results
	 */
	interface Handler<T> {

		T on(Entered event);

		T on(TimedOut event);

		T on(Cancelled event);

		T on(Closing event);

		T on(Closed event);

		T on(Answered event);

		T on(TurnAnswered event);

		T on(TransferAnswered event);

		T on(OrphansAnswered event);

		T on(Granted event);

		T on(Recalled event);

		T on(Busy event);

		T on(Resubscribed event);

		T on(Released event);

		T on(Dismissed event);

		T on(LeaseEnded event);

		T on(ShutDown event);

		T on(Forced event);

		T on(Extending event);

		T on(Extended event);

		T on(Due event);

	}

}
