package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.engine.machine.Holding.InSync;
import io.lockable.engine.machine.Holding.Leased;
import io.lockable.engine.machine.Holding.Releases;
import io.lockable.engine.machine.Holding.Retained;
import io.lockable.engine.machine.Holding.TransferFailed;
import io.lockable.engine.machine.Holding.Transferring;
import io.lockable.engine.machine.Holding.Unsettled;
import io.lockable.engine.machine.Holding.Vacant;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Granted;

/**
 * The rules for a key that this instance has: releases, losses, extensions, and transfers
 * between holders.
 */
final class HoldingRules {

	private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(50);

	private HoldingRules() {
	}

	// Requests

	static KeyState entered(Holding state, Request request, Effects effects) {
		if (!request.patient() && state.isLeased()) {
			effects.refuse(List.of(request), null);
			return state;
		}
		return state.with(state.waiting().with(request));
	}

	// Ends the wait of a request, unless a transfer in flight decides on it.
	static KeyState timedOut(Holding state, Request request, Inputs in, Effects effects) {
		if (in.settings().confirms() && state.sync() instanceof Transferring sent
				&& sent.transfer().successor().equals(request.owner())) {
			return state;
		}
		refuse(state, List.of(request), in, effects);
		return state.with(state.waiting().without(request.owner()));
	}

	private static void refuse(Holding state, List<Request> requests, Inputs in, Effects effects) {
		effects.refuse(requests, in.settings().confirms() ? state.transferFailure() : null);
	}

	// The holder

	// Ends the current lease if its local deadline has passed.
	static KeyState expire(Holding state, Inputs in, Effects effects) {
		boolean over = state.isLeased() && state.tenure().deadline() - in.now() <= 0;
		return over ? lose(state, LockLost.Reason.EXPIRED, in, effects) : state;
	}

	static KeyState released(Holding state, KeyEvent.Released release, Inputs in) {
		Duration retain = ((Leased) state.occupant()).retain();
		boolean retained = release.keptUntil() == null && !retain.isZero();
		return state
			.with(retained ? new Retained(Deadline.after(in.now(), retain)) : new Vacant(release.keptUntil(), false))
			.with(state.releases().with(release.owner()));
	}

	// Lets the holder leave this key and keep its owner token.
	// Impossible while the server may lack its owner token.
	// If the holder entered without a command, its owner token is sent first.
	static KeyState dismissed(Holding state, Inputs in, Effects effects) {
		if (!state.isInSync()) {
			return state;
		}
		boolean known = state.isLeasedTo(state.tenure().owner());
		return known ? new KeyState.Idle(state.waiting()) : HandOffRules.transfer(state, in, effects);
	}

	// Ends a tenure that the server released by force.
	// If it had the successor of a transfer, the server had executed that transfer.
	// If it had the old owner token, the answer to the transfer is a refusal.
	static KeyState forced(Holding state, String owner, Inputs in, Effects effects) {
		if (!state.serverOwner().equals(owner)) {
			return state;
		}
		effects.completeReleases(state.releases().covered(), true, null);
		Holding known = state.with(new InSync()).with(state.releases().confirmed());
		if (known.isLeased()) {
			return lose(known, LockLost.Reason.FORCED, in, effects);
		}
		effects.completeReleases(known.releases().all(), false, Answer.Failed.NO_ANSWER);
		if (!state.isInSync()) {
			abandonUnlessWaiting(known, in, effects);
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
	static KeyState lose(Holding state, LockLost.Reason reason, Inputs in, Effects effects) {
		Tenure tenure = state.tenure();
		effects.add(new Effect.NotifyLost(((Leased) state.occupant()).owner(), reason));
		boolean known = reason == LockLost.Reason.NOT_OWNED;
		LockStoreException failure = state.transferFailure();
		effects.completeReleases(state.releases().all(), false,
				known ? null : (failure != null) ? failure : Answer.Failed.NO_ANSWER);
		boolean mayHold = !known && !state.isInSync();
		effects.add(new Effect.Abandon(tenure.owner(), tenure.longestRest(in.now()), mayHold, null));
		if (state.sync() instanceof Unsettled unsettled) {
			Transfer transfer = unsettled.transfer();
			effects.add(new Effect.Abandon(transfer.successor(), transfer.lease(), mayHold, null));
		}
		return new KeyState.Idle(state.waiting());
	}

	// Fails the releases, because no further answer arrives.
	static KeyState closed(Holding state, LockStoreException failure, Effects effects) {
		effects.completeReleases(state.releases().all(), false, failure);
		return state.with(Releases.NONE);
	}

	// Extensions

	static KeyState extending(Holding state, KeyEvent.Extending extension, Inputs in) {
		return state.isInSync() ? state.with(state.tenure().mayEndAt(Deadline.after(in.now(), extension.lease())))
				: state;
	}

	// Applies the answer to an extension of an owner token, which a transfer in flight
	// may have replaced.
	// A refusal is a loss only without such a transfer.
	static KeyState extended(Holding state, KeyEvent.Extended extension, Inputs in, Effects effects) {
		if (!state.tenure().owner().equals(extension.owner())) {
			return state;
		}
		Boolean extended = extension.extended();
		if (Boolean.FALSE.equals(extended)) {
			return state.isInSync() ? lose(state, LockLost.Reason.NOT_OWNED, in, effects) : state;
		}
		Tenure tenure = state.tenure().mayEndAt(Deadline.after(in.now(), extension.lease()));
		if (extended != null && state.isInSync()) {
			long deadline = Deadline.ofLease(extension.sentAt(), extension.lease());
			tenure = tenure.validUntil(Deadline.later(tenure.deadline(), deadline));
		}
		return state.with(tenure);
	}

	// Transfers

	static KeyState transferAnswered(Holding state, Transfer transfer, Answer answer, Inputs in, Effects effects) {
		if (answer instanceof Answer.Failed failed) {
			return transferFailed(state, transfer, failed.failure(), in, effects);
		}
		if (answer instanceof Answer.Reply reply && reply.acquisition() instanceof Granted granted) {
			List<String> confirmed = state.releases().covered();
			Holding done = state.with(state.tenure().transferred(transfer, granted, in.now()))
				.with(new InSync())
				.with(state.releases().confirmed());
			KeyState next = done.isLeased() ? HandOffRules.follow(done, in, effects)
					: HandOffRules.pass(done.confirmed(), in, effects);
			// Follows the next command.
			effects.completeReleases(confirmed, true, null);
			if (state.tenure().asked() && !transfer.owner().equals(transfer.successor())) {
				abandonUnlessWaiting(state, in, effects);
			}
			return next;
		}
		boolean known = !transfer.mayHaveExpired(in.now());
		if (state.isLeased()) {
			return lose(state, known ? LockLost.Reason.NOT_OWNED : LockLost.Reason.EXPIRED, in, effects);
		}
		effects.completeReleases(state.releases().all(), false, known ? null : Answer.Failed.NO_ANSWER);
		abandonUnlessWaiting(state, in, effects);
		return new KeyState.Idle(state.waiting());
	}

	// The server does not hold the lock for the owner token, but a late command of that
	// token may have queued it again.
	private static void abandonUnlessWaiting(Holding state, Inputs in, Effects effects) {
		Tenure tenure = state.tenure();
		if (!state.waiting().has(tenure.owner())) {
			effects.add(new Effect.Abandon(tenure.owner(), tenure.longestRest(in.now()), false, null));
		}
	}

	/**
	 * Schedules a retry of the transfer. With a store that needs confirmation, requests
	 * whose wait is over do not wait for it.
	 */
	private static KeyState transferFailed(Holding state, Transfer transfer, LockStoreException failure, Inputs in,
			Effects effects) {
		Holding failed = state.with(new TransferFailed(transfer, failure, in.now() + RETRY));
		return in.settings().confirms() ? refuseOver(failed, in, effects) : failed;
	}

	// Retries a transfer that failed or timed out.
	// A vacant lock with an expired lease has nothing left to pass on.
	static KeyState due(Holding state, Inputs in, Effects effects) {
		if (!(state.sync() instanceof Unsettled unsettled) || in.now() - dueAt(unsettled, in.settings()) < 0) {
			return state;
		}
		Transfer transfer = unsettled.transfer();
		if (in.settings().confirms() && unsettled instanceof Transferring) {
			return transferFailed(state, transfer, Answer.Failed.NO_ANSWER, in, effects);
		}
		if (state.isLeased() || state.tenure().deadline() - in.now() > 0) {
			Holding sent = state.transferring(transfer.successor(), transfer.lease(), in.now());
			effects.add(new Effect.SendTransfer(((Transferring) sent.sync()).transfer()));
			return sent;
		}
		LockStoreException known = unsettled.failure();
		LockStoreException failure = (known != null) ? known : new LockStoreException(
				"The store did not answer for lock '%s' before its lease expired".formatted(in.settings().key()), null);
		Predicate<Request> over = (request) -> request.isOver(in.now());
		state.waiting().matching(over).forEach((request) -> effects.fail(request, failure));
		Holding left = state.with(state.waiting().without(over));
		KeyState ended = HandOffRules.giveUp(left, transfer, failure, in, effects);
		return ended.waiting().isEmpty() ? ended : AcquiringRules.afterFailedTenure(ended.waiting(), failure, in);
	}

	static long dueAt(Holding state, KeySettings settings, long never) {
		if (state.sync() instanceof Unsettled unsettled) {
			return dueAt(unsettled, settings);
		}
		return (state.occupant() instanceof Retained retained)
				? Deadline.earlier(retained.until(), state.tenure().deadline()) : never;
	}

	private static long dueAt(Unsettled unsettled, KeySettings settings) {
		return (unsettled instanceof TransferFailed failed) ? failed.retryAt()
				: unsettled.transfer().sentAt() + settings.commandTimeout().toNanos();
	}

	private static Holding refuseOver(Holding state, Inputs in, Effects effects) {
		Predicate<Request> over = (request) -> request.isOver(in.now());
		refuse(state, state.waiting().matching(over), in, effects);
		return state.with(state.waiting().without(over));
	}

}
