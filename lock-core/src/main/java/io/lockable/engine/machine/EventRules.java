package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;

import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.store.Granted;
import io.lockable.store.Refused;

/**
 * The rule for each type of event. It chooses among the rules for the state of the key.
 *
 * @param state the state before the event
 * @param in the inputs of the step
 * @param effects the effects of the step
 */
record EventRules(KeyState state, Inputs in, Effects effects) implements KeyEvent.Handler<KeyState> {

	// Requests

	@Override
	public KeyState on(KeyEvent.Entered event) {
		if (this.state instanceof KeyState.Retired) {
			throw new IllegalStateException("The key is retired: make a new one");
		}
		KeyState current = expired();
		if (current instanceof Acquiring asking) {
			return AcquiringRules.entered(asking, event.request(), this.effects);
		}
		return (current instanceof Holding held) ? HoldingRules.entered(held, event.request(), this.effects)
				: new KeyState.Idle(current.waiting().with(event.request()));
	}

	@Override
	public KeyState on(KeyEvent.TimedOut event) {
		Request request = this.state.waiting().find(event.owner());
		if (request == null) {
			return this.state;
		}
		if (this.state instanceof Acquiring asking) {
			return AcquiringRules.timedOut(asking, request, this.in, this.effects);
		}
		return HoldingRules.timedOut((Holding) this.state, request, this.in, this.effects);
	}

	@Override
	public KeyState on(KeyEvent.Cancelled event) {
		if (!this.state.waiting().has(event.owner())) {
			return this.state;
		}
		this.effects.add(new Effect.Complete(event.owner(), new Outcome.Cancelled()));
		return with(this.state.waiting().without(event.owner()));
	}

	@Override
	public KeyState on(KeyEvent.Closing event) {
		KeyState left = failAll(event.failure());
		return (left instanceof Holding held) ? held.with(held.tenure().othersMayWait()) : left;
	}

	@Override
	public KeyState on(KeyEvent.Closed event) {
		KeyState left = failAll(event.failure());
		return (left instanceof Holding held) ? HoldingRules.closed(held, event.failure(), this.effects) : left;
	}

	private KeyState failAll(LockException failure) {
		this.state.waiting().requests().forEach((request) -> this.effects.fail(request, failure));
		return with(WaitQueue.EMPTY);
	}

	private KeyState with(WaitQueue waiting) {
		if (this.state instanceof Acquiring asking) {
			return asking.with(waiting);
		}
		return (this.state instanceof Holding held) ? held.with(waiting) : this.state;
	}

	// The holder

	// Ends a lease whose local deadline has passed. Precedes the calls of users, which
	// must not meet an expired lease, and the answer to an extension, which must not
	// revive it. The answer to a transfer may prove a later deadline, and other events do
	// not depend on the lease.
	private KeyState expired() {
		return (this.state instanceof Holding held) ? HoldingRules.expire(held, this.in, this.effects) : this.state;
	}

	@Override
	public KeyState on(KeyEvent.Released event) {
		KeyState current = expired();
		if (current instanceof Holding held && held.isLeasedTo(event.owner())) {
			return HoldingRules.released(held, event, this.in);
		}
		this.effects.completeReleases(List.of(event.owner()), false, null);
		return current;
	}

	@Override
	public KeyState on(KeyEvent.Dismissed event) {
		KeyState current = expired();
		return (current instanceof Holding held && held.isLeasedTo(event.owner()))
				? HoldingRules.dismissed(held, this.in, this.effects) : current;
	}

	@Override
	public KeyState on(KeyEvent.LeaseEnded event) {
		return expired();
	}

	@Override
	public KeyState on(KeyEvent.ShutDown event) {
		return (this.state instanceof Holding held && held.isLeasedTo(event.owner()))
				? HoldingRules.lose(held, LockLost.Reason.SHUTDOWN, this.in, this.effects) : this.state;
	}

	@Override
	public KeyState on(KeyEvent.Forced event) {
		return (this.state instanceof Holding held) ? HoldingRules.forced(held, event.owner(), this.in, this.effects)
				: this.state;
	}

	@Override
	public KeyState on(KeyEvent.Extending event) {
		return (this.state instanceof Holding held && held.isLeasedTo(event.owner()))
				? HoldingRules.extending(held, event, this.in) : this.state;
	}

	@Override
	public KeyState on(KeyEvent.Extended event) {
		KeyState current = expired();
		return (current instanceof Holding held && held.isLeasedTo(event.holder()))
				? HoldingRules.extended(held, event, this.in, this.effects) : current;
	}

	// The server

	@Override
	public KeyState on(KeyEvent.Answered event) {
		return answered(event.ask(), event.answer());
	}

	@Override
	public KeyState on(KeyEvent.TurnAnswered event) {
		AcquireCommand ask = event.ask();
		if (isGranted(event.answer()) && this.in.settings().confirms() && this.state instanceof Acquiring asking
				&& asking.isInFlight(ask)) {
			return AcquiringRules.confirmTurn(asking, this.in, this.effects);
		}
		return answered(ask, event.answer());
	}

	private KeyState answered(AcquireCommand ask, Answer answer) {
		if (this.state instanceof Acquiring asking && asking.isInFlight(ask)) {
			return AcquiringRules.answered(asking, ask, answer, this.in, this.effects);
		}
		boolean refused = isRefused(answer);
		boolean unsent = answer instanceof Answer.Dropped || (answer instanceof Answer.Failed failed && !failed.sent());
		if (!unsent && (ask.queue() || ask.recall() || !refused)) {
			abandonUnlessOwn(ask.owner(), ask.lease(), !refused);
		}
		return this.state;
	}

	@Override
	public KeyState on(KeyEvent.TransferAnswered event) {
		Transfer transfer = event.transfer();
		if (this.state instanceof Holding held && held.sync() instanceof Holding.Unsettled unsettled
				&& unsettled.transfer().equals(transfer)) {
			return HoldingRules.transferAnswered(held, transfer, event.answer(), this.in, this.effects);
		}
		if (!isRefused(event.answer())) {
			abandonUnlessOwn(transfer.successor(), transfer.lease(), true);
		}
		return this.state;
	}

	@Override
	public KeyState on(KeyEvent.OrphansAnswered event) {
		return (this.state instanceof Acquiring asking)
				? AcquiringRules.orphansAnswered(asking, event.orphans(), event.failure(), this.in, this.effects)
				: this.state;
	}

	@Override
	public KeyState on(KeyEvent.Granted event) {
		String owner = event.grant().owner();
		if (isRequestedBy(owner)) {
			return AcquiringRules.granted((Acquiring) this.state, event.grant(), this.in, this.effects);
		}
		abandonUnlessOwn(owner, Effect.Abandon.UNKNOWN_LEASE, false);
		return this.state;
	}

	@Override
	public KeyState on(KeyEvent.Recalled event) {
		if (!(this.state instanceof Holding held && held.isOwn(event.recall().holder()))) {
			return this.state;
		}
		if (held.isLeased()) {
			this.effects.add(new Effect.AnswerBusy(event.recall()));
		}
		return HoldingRules.recalled(held);
	}

	@Override
	public KeyState on(KeyEvent.Busy event) {
		return isRequestedBy(event.owner()) ? AcquiringRules.busy((Acquiring) this.state, this.in, this.effects)
				: this.state;
	}

	@Override
	public KeyState on(KeyEvent.Resubscribed event) {
		if (this.state instanceof Acquiring asking) {
			return AcquiringRules.lookNow(asking, this.in, this.effects);
		}
		return (this.state instanceof Holding held) ? HoldingRules.recalled(held) : this.state;
	}

	private boolean isRequestedBy(String owner) {
		return this.state instanceof Acquiring asking && asking.owner().equals(owner);
	}

	private void abandonUnlessOwn(String owner, Duration lease, boolean mayHold) {
		boolean held = this.state instanceof Holding holding && holding.isOwn(owner);
		if (!held && !isRequestedBy(owner)) {
			this.effects.add(new Effect.Abandon(owner, lease, mayHold, null));
		}
	}

	private static boolean isGranted(Answer answer) {
		return answer instanceof Answer.Reply reply && reply.acquisition() instanceof Granted;
	}

	private static boolean isRefused(Answer answer) {
		return answer instanceof Answer.Reply reply && reply.acquisition() instanceof Refused;
	}

	// Time

	@Override
	public KeyState on(KeyEvent.Due event) {
		if (this.state instanceof Acquiring asking) {
			return AcquiringRules.due(asking, this.in, this.effects);
		}
		return (this.state instanceof Holding held) ? HoldingRules.due(held, this.in, this.effects) : this.state;
	}

}
