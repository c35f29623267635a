package io.lockable.engine.machine;

import java.time.Duration;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.Holding.Leased;
import io.lockable.engine.machine.Holding.Retained;
import io.lockable.engine.machine.Holding.TransferFailed;
import io.lockable.engine.machine.Holding.Transferring;
import io.lockable.engine.machine.Holding.Vacant;
import io.lockable.engine.runtime.Deadline;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

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
	 * @param step receives the effects
	 * @return the next state; still without a holder if the lock is retained, or the
	 * answer to a transfer is pending
	 */
	static KeyState pass(Holding state, StepBuilder step) {
		if (state.waiting().isEmpty() && isRetainable(state, step)) {
			return state.releasedHere(step);
		}
		boolean confirmed = state.occupant() instanceof Vacant vacant && vacant.confirmed();
		Holding held = state.with(new Vacant(state.keptUntil(), false));
		if (held.waiting().isEmpty() || held.keptUntil() != null) {
			return giveBack(held, step);
		}
		Request next = held.waiting().first();
		boolean own = next.owner().equals(held.tenure().owner());
		if (!own && held.tenure().isTurnOver(step.now())) {
			return endTurn(held, next, step);
		}
		if (!own && !step.settings().queueing()) {
			return held.isInSync() ? giveBack(held, step) : held;
		}
		return passTo(next, held, own, confirmed, step);
	}

	// A lock that another command gave is confirmed by the server first.
	private static KeyState passTo(Request next, Holding held, boolean own, boolean confirmed, StepBuilder step) {
		boolean proven = !step.settings().confirms() || (confirmed && own);
		boolean valid = confirmed ? held.tenure().isValid(step.now()) : held.tenure().isFresh(next.lease(), step.now());
		if (proven && valid) {
			return enter(held, next, step);
		}
		if (!held.isInSync()) {
			return held;
		}
		return (proven && confirmed) ? answeredTooLate(held, next, step)
				: transfer(held, next.owner(), next.lease(), step);
	}

	private static KeyState answeredTooLate(Holding held, Request next, StepBuilder step) {
		step.fail(next,
				new LockStoreException(
						"The store answered for lock '%s' only after its lease of %s expired: use a longer lease"
							.formatted(step.settings().key(), DurationText.of(next.lease())),
						null));
		return giveBack(held.with(held.waiting().without(next.owner())), step);
	}

	// Lets other instances have their turn. Queues the next request of this one behind
	// them if the lock can be released now.
	private static KeyState endTurn(Holding held, Request next, StepBuilder step) {
		if (step.in().subscribed() && isReady(held, step)) {
			return giveBack(held, new AcquireCommand(next.owner(), next.lease(), true, false, step.now()), step);
		}
		return held.isInSync() ? giveBack(held, step) : held;
	}

	private static boolean isRetainable(Holding state, StepBuilder step) {
		return state.occupant() instanceof Retained retained && retained.until() - step.now() > 0
				&& state.isRecallable() && state.tenure().isRetainable(step.now()) && step.in().notified();
	}

	// Whether a holder enters, or has entered, without a command: the server keeps the
	// owner token of an earlier one.
	private static boolean entersHere(Holding held, Duration lease, Duration retain, StepBuilder step) {
		return !retain.isZero() && held.isRecallable() && held.tenure().isAmple(lease, step.now());
	}

	static Holding transfer(Holding held, String successor, Duration lease, StepBuilder step) {
		Holding sent = held.transferring(successor, lease, step.now());
		step.add(new Effect.SendTransfer(((Transferring) sent.sync()).transfer()));
		return sent;
	}

	private static Holding enter(Holding held, Request next, StepBuilder step) {
		boolean own = next.owner().equals(held.tenure().owner());
		// A grant may set a shorter lease, which counts from an earlier command.
		// A transfer sets the full one.
		Duration grant = (own && held.tenure().isShort(next.lease(), step.now())) ? held.tenure().lease() : null;
		boolean here = !own && entersHere(held, next.lease(), next.retain(), step);
		boolean transferred = !own && !here && held.isInSync();
		Holding sent = transferred ? held.transferring(next.owner(), next.lease(), step.now()) : held;
		if (here) {
			// An extension may have set a longer lease.
			long end = Deadline.earlier(sent.tenure().deadline(), Deadline.ofLease(step.now(), next.lease()));
			sent = sent.releasedHere(step).with(sent.tenure().validUntil(end));
		}
		if (!next.retain().isZero() && !step.in().subscribed()) {
			step.add(new Effect.Subscribe());
		}
		Tenure tenure = sent.tenure();
		step.add(new Effect.Enter(next, tenure.tokens().next(), tenure.deadline(), grant));
		if (transferred) {
			step.add(new Effect.SendTransfer(((Transferring) sent.sync()).transfer()));
		}
		// Also a request whose wait ended before the first answer.
		WaitQueue left = step.refuseOver(sent.waiting().without(next.owner()), null);
		return new Holding(left, tenure.tokenTaken(), new Leased(next.owner(), next.lease(), next.retain()),
				sent.sync(), sent.releases());
	}

	private static KeyState giveBack(Holding held, StepBuilder step) {
		if (held.sync() instanceof TransferFailed failed && step.settings().confirms()) {
			return giveUp(held, failed.failure(), step);
		}
		if (!isReady(held, step)) {
			// The answer to the transfer, or its failure, triggers this rule again.
			return held;
		}
		return giveBack(held, null, step);
	}

	private static KeyState giveBack(Holding held, @Nullable AcquireCommand next, StepBuilder step) {
		step.add(new Effect.GiveBack(held.serverOwner(), held.previousOwner(), held.longestRest(step.now()),
				held.keptUntil(), held.releases().all(), next));
		return (next != null) ? AcquiringRules.afterYield(held.waiting(), next, step)
				: new KeyState.Idle(held.waiting());
	}

	// Whether the lock can be released now.
	// With ordered commands, the answer to a transfer may be pending.
	// The exceptions are a successor that still waits, and a previous owner token that
	// may be queued again.
	private static boolean isReady(Holding held, StepBuilder step) {
		return held.isInSync() || (step.settings().ordered() && !step.settings().confirms() && !held.tenure().asked()
				&& held.sync() instanceof Transferring sent && !held.waiting().has(sent.transfer().successor()));
	}

	// Ends a tenure for which the server may know either owner token.
	static KeyState giveUp(Holding held, LockStoreException failure, StepBuilder step) {
		step.completeReleases(held.releases().all(), false, failure);
		held.abandonAll(true, step);
		return new KeyState.Idle(held.waiting());
	}

	// Sends the owner token of a holder that entered during a transfer.
	static Holding follow(Holding held, StepBuilder step) {
		Leased leased = (Leased) held.occupant();
		if (leased.owner().equals(held.tenure().owner())) {
			return held;
		}
		return entersHere(held, leased.lease(), leased.retain(), step) ? held.releasedHere(step) : transfer(held, step);
	}

	// Sends the owner token of the holder.
	static Holding transfer(Holding held, StepBuilder step) {
		Leased leased = (Leased) held.occupant();
		return transfer(held, leased.owner(), leased.lease(), step);
	}

}
