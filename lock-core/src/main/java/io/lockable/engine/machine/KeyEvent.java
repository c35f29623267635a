package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;

import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Answer;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.Inbox.Recall;
import org.jspecify.annotations.Nullable;

/**
 * An event of a key: a call of a user, an answer or message of the server, or the passing
 * of time. Its rule chooses among the rules for the state of the key.
 */
public sealed interface KeyEvent {

	/**
	 * Applies the rule of this event.
	 * @param state the state before the event
	 * @param step receives the effects
	 * @return the next state, which {@link KeyMachine} settles
	 */
	KeyState apply(KeyState state, StepBuilder step);

	// Removes the owner token of a late answer or message from the server, unless this
	// instance requests or holds the lock under it.
	private static void abandonUnlessOwn(KeyState state, String owner, Duration lease, boolean mayHold,
			StepBuilder step) {
		boolean requested = state instanceof Acquiring asking && asking.owner().equals(owner);
		boolean held = state instanceof Holding holding && holding.isOwn(owner);
		if (!requested && !held) {
			step.add(new Effect.Abandon(owner, lease, mayHold, null));
		}
	}

	// Requests

	/**
	 * A request arrives.
	 *
	 * @param request the request
	 */
	record Entered(Request request) implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			if (state instanceof KeyState.Retired) {
				throw new IllegalStateException("The key is retired: make a new one");
			}
			KeyState current = HoldingRules.expire(state, step);
			if (current instanceof Acquiring asking) {
				return AcquiringRules.entered(asking, this.request, step);
			}
			return (current instanceof Holding held) ? HoldingRules.entered(held, this.request, step)
					: current.with(current.waiting().with(this.request));
		}

	}

	/**
	 * The wait of a request is over.
	 *
	 * @param owner its owner token
	 */
	record TimedOut(String owner) implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			Request request = state.waiting().find(this.owner);
			if (request == null) {
				return state;
			}
			return (state instanceof Acquiring asking) ? AcquiringRules.timedOut(asking, request, step)
					: HoldingRules.timedOut((Holding) state, request, step);
		}

	}

	/**
	 * The caller cancels a request.
	 *
	 * @param owner its owner token
	 */
	record Cancelled(String owner) implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			Request request = state.waiting().find(this.owner);
			if (request == null) {
				return state;
			}
			step.complete(request, new Outcome.Cancelled());
			return state.with(state.waiting().without(this.owner));
		}

	}

	/**
	 * The engine shuts down: all requests fail.
	 *
	 * @param failure their failure
	 */
	record Closing(LockException failure) implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			state.requests().forEach((request) -> step.fail(request, this.failure));
			KeyState left = state.with(WaitQueue.EMPTY);
			return (left instanceof Holding held) ? held.with(held.tenure().othersMayWait()) : left;
		}

	}

	/**
	 * No further answer arrives: all requests and releases fail.
	 *
	 * @param failure their failure
	 */
	record Closed(LockStoreException failure) implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			KeyState left = new Closing(this.failure).apply(state, step);
			return (left instanceof Holding held) ? HoldingRules.closed(held, this.failure, step) : left;
		}

	}

	// The holder. The lease ends first if its local deadline has passed: the calls of
	// users must not meet an expired lease, and the answer to an extension must not
	// revive it. Due ends it as well. The answer to a transfer may prove a later
	// deadline,
	// and other events do not depend on the lease.

	/**
	 * A holder releases.
	 *
	 * @param owner its owner token
	 * @param keptUntil the time until which the lock stays locked, or {@code null}
	 */
	record Released(String owner, @Nullable Long keptUntil) implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			KeyState current = HoldingRules.expire(state, step);
			if (current instanceof Holding held && held.isLeasedTo(this.owner)) {
				return HoldingRules.released(held, this.owner, this.keptUntil, step);
			}
			step.completeReleases(List.of(this.owner), false, null);
			return current;
		}

	}

	/**
	 * A holder leaves this key and keeps its owner token.
	 *
	 * @param owner its owner token
	 */
	record Dismissed(String owner) implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			KeyState current = HoldingRules.expire(state, step);
			return (current instanceof Holding held && held.isLeasedTo(this.owner)) ? HoldingRules.dismissed(held, step)
					: current;
		}

	}

	/**
	 * The engine ends a held lease while it shuts down.
	 *
	 * @param owner the owner token of the holder
	 */
	record ShutDown(String owner) implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			return (state instanceof Holding held && held.isLeasedTo(this.owner))
					? HoldingRules.lose(held, LockLost.Reason.SHUTDOWN, step) : state;
		}

	}

	/**
	 * An operator has released the lock by force.
	 *
	 * @param owner the owner token that was on the server
	 */
	record Forced(String owner) implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			return (state instanceof Holding held) ? HoldingRules.forced(held, this.owner, step) : state;
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
		public KeyState apply(KeyState state, StepBuilder step) {
			return (state instanceof Holding held && held.isLeasedTo(this.owner))
					? HoldingRules.extending(held, this.lease, step) : state;
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
		public KeyState apply(KeyState state, StepBuilder step) {
			KeyState current = HoldingRules.expire(state, step);
			return (current instanceof Holding held && held.isLeasedTo(this.holder))
					? HoldingRules.extended(held, this.owner, this.lease, this.sentAt, this.extended, step) : current;
		}

	}

	// Answers of the server

	/**
	 * A command was answered.
	 *
	 * @param ask the command
	 * @param answer the answer
	 * @param yielded whether the command also released the lock
	 */
	record Answered(AcquireCommand ask, Answer answer, boolean yielded) implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			if (state instanceof Acquiring asking && asking.isInFlight(this.ask)) {
				return (this.yielded && this.answer.isGrant() && step.settings().confirms())
						? AcquiringRules.confirmTurn(asking, step)
						: AcquiringRules.answered(asking, this.ask, this.answer, step);
			}
			if (!this.answer.wasSent() || (this.answer.isRefusal() && !this.ask.mayQueue())) {
				return state;
			}
			if (this.ask.mayQueue() && !this.answer.isGrant()) {
				if (state instanceof Acquiring asking && asking.owner().equals(this.ask.owner())) {
					return asking.with(asking.exposure().mayBeQueued());
				}
				// The server may have executed the command after the transfer.
				if (state instanceof Holding held && !held.isInSync()
						&& held.tenure().owner().equals(this.ask.owner())) {
					return held.with(held.tenure().mayBeQueued());
				}
			}
			abandonUnlessOwn(state, this.ask.owner(), this.ask.lease(), !this.answer.isRefusal(), step);
			return state;
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
		public KeyState apply(KeyState state, StepBuilder step) {
			if (state instanceof Holding held && held.sync() instanceof Holding.Unsettled unsettled
					&& unsettled.transfer().equals(this.transfer)) {
				return HoldingRules.transferAnswered(held, this.transfer, this.answer, step);
			}
			if (!this.answer.isRefusal()) {
				abandonUnlessOwn(state, this.transfer.successor(), this.transfer.lease(), true, step);
			}
			return state;
		}

	}

	// Messages of the server

	/**
	 * A message grants the lock to an owner token.
	 *
	 * @param grant the message
	 */
	record Granted(Grant grant) implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			String owner = this.grant.owner();
			if (state instanceof Acquiring asking && asking.owner().equals(owner)) {
				return AcquiringRules.granted(asking, this.grant, step);
			}
			abandonUnlessOwn(state, owner, Effect.Abandon.UNKNOWN_LEASE, false, step);
			return state;
		}

	}

	/**
	 * A message recalls the lock that this instance has.
	 *
	 * @param recall the message
	 */
	record Recalled(Recall recall) implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			if (!(state instanceof Holding held && held.isOwn(this.recall.holder()))) {
				return state;
			}
			if (held.isLeased()) {
				step.add(new Effect.AnswerBusy(this.recall));
			}
			return HoldingRules.recalled(held);
		}

	}

	/**
	 * A message reports that the holder uses the lock that this instance requests.
	 *
	 * @param owner the requesting owner token
	 */
	record Busy(String owner) implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			return (state instanceof Acquiring asking && asking.owner().equals(this.owner))
					? AcquiringRules.busy(asking, step) : state;
		}

	}

	/**
	 * Messages may have been missed.
	 */
	record Resubscribed() implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			if (state instanceof Acquiring asking) {
				return AcquiringRules.lookNow(asking, step);
			}
			return (state instanceof Holding held) ? HoldingRules.recalled(held) : state;
		}

	}

	/**
	 * Time has passed.
	 */
	record Due() implements KeyEvent {

		@Override
		public KeyState apply(KeyState state, StepBuilder step) {
			KeyState current = HoldingRules.expire(state, step);
			if (current instanceof Acquiring asking) {
				return AcquiringRules.due(asking, step);
			}
			return (current instanceof Holding held) ? HoldingRules.due(held, step) : current;
		}

	}

}
