package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;

import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.engine.machine.Effect.Answer;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.Holding.InSync;
import io.lockable.engine.machine.Holding.Leased;
import io.lockable.engine.machine.Holding.Releases;
import io.lockable.engine.machine.Holding.Retained;
import io.lockable.engine.machine.Holding.TransferFailed;
import io.lockable.engine.machine.Holding.Transferring;
import io.lockable.engine.machine.Holding.Unsettled;
import io.lockable.engine.machine.Holding.Vacant;
import io.lockable.engine.machine.Inputs.Settings;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Acquisition.Granted;
import org.jspecify.annotations.Nullable;

/**
 * The rules for a key that this instance has: releases, losses, extensions, and transfers
 * between holders.
 */
final class HoldingRules {

	private HoldingRules() {
	}

	// Requests

	static KeyState entered(Holding state, Request request, StepBuilder step) {
		if (!request.patient() && state.isLeased()) {
			step.refuse(request, null);
			return state;
		}
		return state.with(state.waiting().with(request));
	}

	// Ends the wait of a request, unless a transfer in flight decides on it.
	static KeyState timedOut(Holding state, Request request, StepBuilder step) {
		if (step.settings().confirms() && state.sync() instanceof Transferring sent
				&& sent.transfer().successor().equals(request.owner())) {
			return state;
		}
		step.refuse(request, step.settings().confirms() ? state.transferFailure() : null);
		return state.with(state.waiting().without(request.owner()));
	}

	// The holder

	// Ends the current lease if its local deadline has passed.
	static KeyState expire(KeyState state, StepBuilder step) {
		return (state instanceof Holding held && held.isLeased() && held.deadline() - step.now() <= 0)
				? lose(held, LockLost.Reason.EXPIRED, step) : state;
	}

	static KeyState released(Holding state, String owner, @Nullable Long keptUntil, StepBuilder step) {
		Duration retain = ((Leased) state.occupant()).retain();
		boolean retained = keptUntil == null && !retain.isZero();
		return state.with(retained ? new Retained(Deadline.after(step.now(), retain)) : new Vacant(keptUntil, false))
			.with(state.releases().with(owner));
	}

	// Lets the holder leave this key and keep its owner token.
	// Impossible while the server may lack its owner token.
	// If the holder entered without a command, its owner token is sent first.
	static KeyState dismissed(Holding state, StepBuilder step) {
		if (!state.isInSync()) {
			return state;
		}
		boolean known = state.isLeasedTo(state.tenure().owner());
		return known ? new KeyState.Idle(state.waiting()) : HandOffRules.transfer(state, step);
	}

	// Ends a tenure that the server released by force.
	// If it had the successor of a transfer, the server had executed that transfer.
	// If it had the old owner token, the answer to the transfer is a refusal.
	static KeyState forced(Holding state, String owner, StepBuilder step) {
		if (!state.serverOwner().equals(owner)) {
			return state;
		}
		step.completeReleases(state.releases().covered(), true, null);
		Holding known = state.with(new InSync()).with(state.releases().confirmed());
		if (known.isLeased()) {
			return lose(known, LockLost.Reason.FORCED, step);
		}
		step.completeReleases(known.releases().all(), false, Answer.Failed.NO_ANSWER);
		if (!state.isInSync()) {
			abandonUnlessWaiting(known, step);
		}
		return new KeyState.Idle(state.waiting());
	}

	// Ends the retention: another instance requests the lock, or may have done so in a
	// missed message.
	static KeyState recalled(Holding state) {
		return state.isRecallable() ? state.with(state.tenure().othersMayWait()) : state;
	}

	// Ends the current lease as lost, together with the unconfirmed releases.
	// A transfer in flight is undone now, and once more after its answer.
	static KeyState lose(Holding state, LockLost.Reason reason, StepBuilder step) {
		step.add(new Effect.NotifyLost(((Leased) state.occupant()).owner(), reason));
		boolean known = reason == LockLost.Reason.NOT_OWNED;
		LockStoreException failure = state.transferFailure();
		step.completeReleases(state.releases().all(), false,
				known ? null : (failure != null) ? failure : Answer.Failed.NO_ANSWER);
		boolean mayHold = !known && !state.isInSync();
		state.abandonAll(mayHold, step);
		return new KeyState.Idle(state.waiting());
	}

	// Fails the releases, because no further answer arrives.
	static KeyState closed(Holding state, LockStoreException failure, StepBuilder step) {
		step.completeReleases(state.releases().all(), false, failure);
		return state.with(Releases.NONE);
	}

	// Extensions

	static KeyState extending(Holding state, Duration lease, StepBuilder step) {
		return state.isInSync() ? state.with(state.tenure().mayEndAt(Deadline.after(step.now(), lease))) : state;
	}

	// Applies the answer to an extension of an owner token, which a transfer in flight
	// may have replaced.
	// A refusal is a loss only without such a transfer.
	static KeyState extended(Holding state, String owner, Duration lease, long sentAt, @Nullable Boolean extended,
			StepBuilder step) {
		if (!state.tenure().owner().equals(owner)) {
			return state;
		}
		if (Boolean.FALSE.equals(extended)) {
			return state.isInSync() ? lose(state, LockLost.Reason.NOT_OWNED, step) : state;
		}
		Tenure tenure = state.tenure().mayEndAt(Deadline.after(step.now(), lease));
		if (extended != null && state.isInSync()) {
			long deadline = Deadline.ofLease(sentAt, lease);
			tenure = tenure.validUntil(Deadline.later(tenure.deadline(), deadline));
		}
		return state.with(tenure);
	}

	// Transfers

	static KeyState transferAnswered(Holding state, Transfer transfer, Answer answer, StepBuilder step) {
		if (answer instanceof Answer.Failed failed) {
			return transferFailed(state, transfer, failed.failure(), step);
		}
		if (answer instanceof Answer.Reply reply && reply.acquisition() instanceof Granted granted) {
			List<String> confirmed = state.releases().covered();
			Holding done = state.with(state.tenure().transferred(transfer, granted, step.now()))
				.with(new InSync())
				.with(state.releases().confirmed());
			KeyState next = done.isLeased() ? HandOffRules.follow(done, step)
					: HandOffRules.pass(done.confirmed(), step);
			// Follows the next command.
			step.completeReleases(confirmed, true, null);
			if (state.tenure().asked() && !transfer.owner().equals(transfer.successor())) {
				abandonUnlessWaiting(state, step);
			}
			return next;
		}
		boolean known = !transfer.mayHaveExpired(step.now());
		if (state.isLeased()) {
			return lose(state, known ? LockLost.Reason.NOT_OWNED : LockLost.Reason.EXPIRED, step);
		}
		step.completeReleases(state.releases().all(), false, known ? null : Answer.Failed.NO_ANSWER);
		abandonUnlessWaiting(state, step);
		return new KeyState.Idle(state.waiting());
	}

	// The server does not hold the lock for the owner token, but a late command of that
	// token may have queued it again.
	private static void abandonUnlessWaiting(Holding state, StepBuilder step) {
		state.abandon(state.tenure().owner(), state.tenure().longestRest(step.now()), false, null, step);
	}

	/**
	 * Schedules a retry of the transfer. With a store that needs confirmation, requests
	 * whose wait is over do not wait for it.
	 */
	private static KeyState transferFailed(Holding state, Transfer transfer, LockStoreException failure,
			StepBuilder step) {
		Holding failed = state.with(new TransferFailed(transfer, failure, step.now() + StepBuilder.RETRY));
		return step.settings().confirms() ? failed.with(step.refuseOver(failed.waiting(), failure)) : failed;
	}

	// Retries a transfer that failed or timed out.
	// A vacant lock with an expired lease has nothing left to pass on.
	static KeyState due(Holding state, StepBuilder step) {
		if (!(state.sync() instanceof Unsettled unsettled) || step.now() - dueAt(unsettled, step.settings()) < 0) {
			return state;
		}
		Transfer transfer = unsettled.transfer();
		if (step.settings().confirms() && unsettled instanceof Transferring) {
			return transferFailed(state, transfer, Answer.Failed.NO_ANSWER, step);
		}
		LockStoreException known = unsettled.failure();
		if (state.tenure().deadline() - step.now() > 0) {
			// No request waits for the answers to several transfers after its wait.
			Holding left = state
				.with(step.refuseOver(state.waiting(), (known != null) ? known : Answer.Failed.NO_ANSWER));
			return HandOffRules.transfer(left, transfer.successor(), transfer.lease(), step);
		}
		LockStoreException failure = (known != null) ? known : new LockStoreException(
				"The store did not answer for lock '%s' before its lease expired".formatted(step.settings().key()),
				null);
		Holding left = state.with(step.refuseOver(state.waiting(), failure));
		KeyState ended = HandOffRules.giveUp(left, failure, step);
		return ended.waiting().isEmpty() ? ended : AcquiringRules.afterFailedTenure(ended.waiting(), failure, step);
	}

	static long dueAt(Holding state, Settings settings, long never) {
		if (state.sync() instanceof Unsettled unsettled) {
			return dueAt(unsettled, settings);
		}
		return (state.occupant() instanceof Retained retained)
				? Deadline.earlier(retained.until(), state.tenure().deadline()) : never;
	}

	private static long dueAt(Unsettled unsettled, Settings settings) {
		return (unsettled instanceof TransferFailed failed) ? failed.retryAt()
				: unsettled.transfer().sentAt() + settings.commandTimeout().toNanos();
	}

}
