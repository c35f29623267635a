package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

import io.lockable.DurationText;
import io.lockable.LockStoreException;
import io.lockable.engine.machine.Holding.Leased;
import io.lockable.engine.machine.Holding.Retained;
import io.lockable.engine.machine.Holding.TransferFailed;
import io.lockable.engine.machine.Holding.Transferring;
import io.lockable.engine.machine.Holding.Vacant;
import io.lockable.engine.runtime.Deadline;

/**
 * The rule for a lock that this instance has and no holder uses. It decides which request
 * enters, whether the server must confirm it first, and when other instances have their
 * turn.
 */
final class HandOffRules {

	private HandOffRules() {
	}

	/**
	 * Passes the lock on.
	 * @param state a state without a holder
	 * @param in the inputs of the step
	 * @param effects the effects of the step
	 * @return the next state; still without a holder if the lock is retained, or the
	 * answer to a transfer is pending
	 */
	static KeyState pass(Holding state, Inputs in, Effects effects) {
		if (state.waiting().isEmpty() && isRetainable(state, in)) {
			return state.releasedHere(effects);
		}
		boolean confirmed = state.occupant() instanceof Vacant vacant && vacant.confirmed();
		Holding held = state.with(new Vacant(state.keptUntil(), false));
		if (held.waiting().isEmpty() || held.keptUntil() != null) {
			return giveBack(held, in, effects);
		}
		Tenure tenure = held.tenure();
		Request next = held.waiting().first();
		boolean own = next.owner().equals(tenure.owner());
		boolean entitled = own || in.settings().queueing();
		boolean turnOver = tenure.isTurnOver(in.now()) && !own;
		// A lock that another command gave is confirmed by the server first.
		boolean unconfirmed = in.settings().confirms() && !(confirmed && own);
		boolean valid = !unconfirmed && (confirmed ? tenure.isValid(in.now()) : tenure.isFresh(next.lease(), in.now()));
		if (valid && entitled && !turnOver) {
			return enter(held, next, in, effects);
		}
		if (turnOver && in.subscribed() && isReady(held, in)) {
			return yieldTurn(held, next, in, effects);
		}
		if (!held.isInSync()) {
			return held;
		}
		if (turnOver || !entitled) {
			return giveBack(held, in, effects);
		}
		if (confirmed && !unconfirmed) {
			effects.fail(next,
					new LockStoreException(
							"The store answered for lock '%s' only after its lease of %s expired: use a longer lease"
								.formatted(in.settings().key(), DurationText.of(next.lease())),
							null));
			return giveBack(held.with(held.waiting().without(next.owner())), in, effects);
		}
		return transfer(held, next.owner(), next.lease(), in, effects);
	}

	private static boolean isRetainable(Holding state, Inputs in) {
		return state.occupant() instanceof Retained retained && retained.until() - in.now() > 0 && state.isRecallable()
				&& state.tenure().isRetainable(in.now()) && in.notified();
	}

	// Whether a holder enters, or has entered, without a command: the server keeps the
	// owner token of an earlier one.
	private static boolean entersHere(Holding held, Duration lease, Duration retain, Inputs in) {
		return !retain.isZero() && held.isRecallable() && held.tenure().isAmple(lease, in.now());
	}

	private static Holding transfer(Holding held, String successor, Duration lease, Inputs in, Effects effects) {
		Holding sent = held.transferring(successor, lease, in.now());
		effects.add(new Effect.SendTransfer(((Transferring) sent.sync()).transfer()));
		return sent;
	}

	private static Holding enter(Holding held, Request next, Inputs in, Effects effects) {
		boolean own = next.owner().equals(held.tenure().owner());
		// A grant may set a shorter lease, which counts from an earlier command.
		// A transfer sets the full one.
		boolean extend = own && held.tenure().isShort(next.lease(), in.now());
		boolean here = !own && entersHere(held, next.lease(), next.retain(), in);
		boolean transferred = !own && !here && held.isInSync();
		Holding sent = transferred ? held.transferring(next.owner(), next.lease(), in.now()) : held;
		if (here) {
			// An extension may have set a longer lease.
			long end = Deadline.earlier(sent.tenure().deadline(), Deadline.ofLease(in.now(), next.lease()));
			sent = sent.releasedHere(effects).with(sent.tenure().validUntil(end));
		}
		if (!next.retain().isZero() && !in.subscribed()) {
			effects.add(new Effect.Subscribe());
		}
		Tenure tenure = sent.tenure();
		effects.add(new Effect.Enter(next, tenure.nextToken(), tenure.deadline(), extend));
		if (transferred) {
			effects.add(new Effect.SendTransfer(((Transferring) sent.sync()).transfer()));
		}
		WaitQueue left = sent.waiting().without(next.owner());
		// Also a request whose wait ended before the first answer.
		Predicate<Request> over = (request) -> request.isOver(in.now());
		effects.refuse(left.matching(over), null);
		return new Holding(left.without(over), tenure.tokenTaken(),
				new Leased(next.owner(), next.lease(), next.retain()), sent.sync(), sent.releases());
	}

	private static KeyState giveBack(Holding held, Inputs in, Effects effects) {
		if (held.sync() instanceof TransferFailed failed && in.settings().confirms()) {
			return giveUp(held, failed.transfer(), failed.failure(), in, effects);
		}
		if (!isReady(held, in)) {
			// The answer to the transfer, or its failure, triggers this rule again.
			return held;
		}
		effects.add(new Effect.GiveBack(held.serverOwner(), held.previousOwner(), held.longestRest(in.now()),
				held.keptUntil(), held.releases().all()));
		return new KeyState.Idle(held.waiting());
	}

	// Whether the lock can be released now.
	// With ordered commands, the answer to a transfer may be pending.
	// The exceptions are a successor that still waits, and a previous owner token that
	// may be queued again.
	private static boolean isReady(Holding held, Inputs in) {
		return held.isInSync() || (in.settings().ordered() && !in.settings().confirms() && !held.tenure().asked()
				&& held.sync() instanceof Transferring sent && !held.waiting().has(sent.transfer().successor()));
	}

	private static KeyState yieldTurn(Holding held, Request next, Inputs in, Effects effects) {
		AcquireCommand ask = new AcquireCommand(next.owner(), next.lease(), true, false, in.now());
		effects.add(new Effect.YieldTurn(held.serverOwner(), held.previousOwner(), held.longestRest(in.now()),
				held.releases().all(), ask));
		return AcquiringRules.afterYield(held.waiting(), ask, in);
	}

	// Ends a tenure for which the server may know either owner token.
	// The token of a waiting request is not abandoned, because the request uses it again.
	// A late withdrawal would release the lock that the request then has.
	static KeyState giveUp(Holding held, Transfer transfer, LockStoreException failure, Inputs in, Effects effects) {
		effects.completeReleases(held.releases().all(), false, failure);
		for (String owner : List.of(held.tenure().owner(), transfer.successor())) {
			if (!held.waiting().has(owner)) {
				boolean old = owner.equals(held.tenure().owner());
				effects.add(new Effect.Abandon(owner, old ? held.tenure().longestRest(in.now()) : transfer.lease(),
						true, held.keptUntil()));
			}
		}
		return new KeyState.Idle(held.waiting());
	}

	// Sends the owner token of a holder that entered during a transfer.
	static Holding follow(Holding held, Inputs in, Effects effects) {
		Leased leased = (Leased) held.occupant();
		if (leased.owner().equals(held.tenure().owner())) {
			return held;
		}
		return entersHere(held, leased.lease(), leased.retain(), in) ? held.releasedHere(effects)
				: transfer(held, in, effects);
	}

	// Sends the owner token of the holder.
	static Holding transfer(Holding held, Inputs in, Effects effects) {
		Leased leased = (Leased) held.occupant();
		return transfer(held, leased.owner(), leased.lease(), in, effects);
	}

}
