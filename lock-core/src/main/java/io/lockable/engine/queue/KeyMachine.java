package io.lockable.engine.queue;

import java.time.Duration;
import java.util.List;

import io.lockable.Internal;
import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.store.Grant;
import io.lockable.store.Granted;
import io.lockable.store.Recall;
import io.lockable.store.Refused;

/**
 * The transition function of a key: from a state, an event and the inputs to the next
 * state and its effects. It only computes; the caller executes the effects, and returns
 * the answers to commands as events.
 *
 * <p>
 * {@link KeyState} states the invariants. The rules are in {@link AcquiringRules},
 * {@link HoldingRules} and {@link EntryRule}.
 */
@Internal
public final class KeyMachine {

	/**
	 * The time for which the release of a stray grant is retried.
	 */
	public static final Duration UNKNOWN_LEASE = Duration.ofMinutes(1);

	/**
	 * Stands for the failure of a command that timed out. The caller of the machine
	 * replaces it in effects by a failure that describes the command.
	 */
	@SuppressWarnings("StaticAssignmentOfThrowable")
	public static final LockStoreException NO_ANSWER = new LockStoreException("The store did not answer", null);

	private KeyMachine() {
	}

	/**
	 * Computes a step.
	 * @param state the state
	 * @param event the event
	 * @param in everything else that the step reads
	 * @return the next state, and the effects
	 */
	public static Step on(KeyState state, KeyEvent event, Inputs in) {
		Effects effects = new Effects();
		return new Step(settle(event.on(state, in, effects), in, effects), effects.list());
	}

	/**
	 * Returns the latest time of the next {@link KeyEvent.Due}.
	 * @param state the state
	 * @param settings the settings of the key
	 * @param never the result if nothing is due
	 * @return the time
	 */
	public static long dueAt(KeyState state, KeySettings settings, long never) {
		if (state instanceof Acquiring asking) {
			return AcquiringRules.dueAt(asking, settings);
		}
		return (state instanceof Holding held) ? HoldingRules.dueAt(held, settings, never) : never;
	}

	/**
	 * Returns the state of a new key.
	 * @return the state
	 */
	public static KeyState newKey() {
		return new KeyState.Idle(Line.EMPTY);
	}

	/**
	 * Decides the next state where a rule leaves it open.
	 */
	private static KeyState settle(KeyState state, Inputs in, Effects effects) {
		KeyState next = state;
		if (next instanceof Holding held && !held.isLeased()) {
			next = EntryRule.pass(held, in, effects);
		}
		if (next instanceof KeyState.Idle && !next.line().isEmpty()) {
			return AcquiringRules.start(next.line(), in, effects);
		}
		boolean over = next.line().isEmpty() && (next instanceof KeyState.Idle
				|| (next instanceof Acquiring asking && !(asking.phase() instanceof Acquiring.InFlight)));
		if (!over) {
			return next;
		}
		if (next instanceof Acquiring asking) {
			AcquiringRules.end(asking, effects);
		}
		effects.add(new Effect.Retire());
		return new KeyState.Retired();
	}

	// Ends a lease whose local deadline has passed. Precedes the calls of users, which
	// must not meet an expired lease, and the answer to an extension, which must not
	// revive it. The answer to a transfer may prove a later deadline, and other events do
	// not depend on the lease.
	static KeyState expire(KeyState state, Inputs in, Effects effects) {
		return (state instanceof Holding held) ? HoldingRules.expire(held, in, effects) : state;
	}

	// Requests

	static KeyState entered(KeyState state, Request request, Effects effects) {
		if (state instanceof KeyState.Retired) {
			throw new IllegalStateException("The key is retired: make a new one");
		}
		if (state instanceof Acquiring asking) {
			return AcquiringRules.entered(asking, request, effects);
		}
		return (state instanceof Holding held) ? HoldingRules.entered(held, request, effects)
				: new KeyState.Idle(state.line().with(request));
	}

	static KeyState timedOut(KeyState state, String owner, Inputs in, Effects effects) {
		Request request = state.line().find(owner);
		if (request == null) {
			return state;
		}
		if (state instanceof Acquiring asking) {
			return AcquiringRules.timedOut(asking, request, in, effects);
		}
		return HoldingRules.timedOut((Holding) state, request, in, effects);
	}

	static KeyState cancelled(KeyState state, String owner, Effects effects) {
		if (!state.line().has(owner)) {
			return state;
		}
		effects.add(new Effect.Complete(owner, new Outcome.Cancelled()));
		return with(state, state.line().without(owner));
	}

	static KeyState closing(KeyState state, LockException failure, Effects effects) {
		KeyState left = failAll(state, failure, effects);
		return (left instanceof Holding held) ? held.with(held.tenure().othersMayWait()) : left;
	}

	static KeyState closed(KeyState state, LockStoreException failure, Effects effects) {
		KeyState left = failAll(state, failure, effects);
		return (left instanceof Holding held) ? HoldingRules.closed(held, failure, effects) : left;
	}

	private static KeyState failAll(KeyState state, LockException failure, Effects effects) {
		state.line().requests().forEach((request) -> effects.fail(request, failure));
		return with(state, Line.EMPTY);
	}

	private static KeyState with(KeyState state, Line line) {
		if (state instanceof Acquiring asking) {
			return asking.with(line);
		}
		return (state instanceof Holding held) ? held.with(line) : state;
	}

	// The holder

	static KeyState released(KeyState state, KeyEvent.Released release, Inputs in, Effects effects) {
		if (state instanceof Holding held && held.isLeasedTo(release.owner())) {
			return HoldingRules.released(held, release, in);
		}
		effects.completeReleases(List.of(release.owner()), false, null);
		return state;
	}

	static KeyState dismissed(KeyState state, String owner, Inputs in, Effects effects) {
		return (state instanceof Holding held && held.isLeasedTo(owner)) ? HoldingRules.dismissed(held, in, effects)
				: state;
	}

	static KeyState shutDown(KeyState state, String owner, Inputs in, Effects effects) {
		return (state instanceof Holding held && held.isLeasedTo(owner))
				? HoldingRules.lose(held, LockLost.Reason.SHUTDOWN, in, effects) : state;
	}

	static KeyState forced(KeyState state, String owner, Inputs in, Effects effects) {
		return (state instanceof Holding held) ? HoldingRules.forced(held, owner, in, effects) : state;
	}

	static KeyState extending(KeyState state, KeyEvent.Extending extension, Inputs in) {
		return (state instanceof Holding held && held.isLeasedTo(extension.owner()))
				? HoldingRules.extending(held, extension, in) : state;
	}

	static KeyState extended(KeyState state, KeyEvent.Extended extension, Inputs in, Effects effects) {
		return (state instanceof Holding held && held.isLeasedTo(extension.holder()))
				? HoldingRules.extended(held, extension, in, effects) : state;
	}

	// The server

	static KeyState answered(KeyState state, Ask ask, Answer answer, Inputs in, Effects effects) {
		if (state instanceof Acquiring asking && asking.isInFlight(ask)) {
			return AcquiringRules.answered(asking, ask, answer, in, effects);
		}
		boolean refused = answer instanceof Answer.Reply reply && reply.acquisition() instanceof Refused;
		boolean unsent = answer instanceof Answer.Dropped || (answer instanceof Answer.Failed failed && !failed.sent());
		if (!unsent && (ask.queue() || ask.recall() || !refused)) {
			abandonUnlessOwn(state, ask.owner(), ask.lease(), !refused, effects);
		}
		return state;
	}

	static KeyState turnAnswered(KeyState state, KeyEvent.TurnAnswered event, Inputs in, Effects effects) {
		Ask ask = event.ask();
		if (isGranted(event.answer()) && in.settings().confirms() && state instanceof Acquiring asking
				&& asking.isInFlight(ask)) {
			return AcquiringRules.confirmTurn(asking, in, effects);
		}
		return answered(state, ask, event.answer(), in, effects);
	}

	static KeyState transferAnswered(KeyState state, KeyEvent.TransferAnswered event, Inputs in, Effects effects) {
		Transfer transfer = event.transfer();
		if (state instanceof Holding held && held.sync() instanceof Holding.Unsettled unsettled
				&& unsettled.transfer().equals(transfer)) {
			return HoldingRules.transferAnswered(held, transfer, event.answer(), in, effects);
		}
		if (!(event.answer() instanceof Answer.Reply reply && reply.acquisition() instanceof Refused)) {
			abandonUnlessOwn(state, transfer.successor(), transfer.lease(), true, effects);
		}
		return state;
	}

	private static boolean isGranted(Answer answer) {
		return answer instanceof Answer.Reply reply && reply.acquisition() instanceof Granted;
	}

	static KeyState orphansAnswered(KeyState state, KeyEvent.OrphansAnswered event, Inputs in, Effects effects) {
		return (state instanceof Acquiring asking)
				? AcquiringRules.orphansAnswered(asking, event.orphans(), event.failure(), in, effects) : state;
	}

	static KeyState granted(KeyState state, Grant message, Inputs in, Effects effects) {
		if (state instanceof Acquiring asking && asking.owner().equals(message.owner())) {
			return AcquiringRules.granted(asking, message, in, effects);
		}
		abandonUnlessOwn(state, message.owner(), UNKNOWN_LEASE, false, effects);
		return state;
	}

	static KeyState recalled(KeyState state, Recall recall, Effects effects) {
		if (!(state instanceof Holding held && held.isOwn(recall.holder()))) {
			return state;
		}
		if (held.isLeased()) {
			effects.add(new Effect.AnswerBusy(recall));
		}
		return HoldingRules.recalled(held);
	}

	static KeyState busy(KeyState state, String owner, Inputs in, Effects effects) {
		return (state instanceof Acquiring asking && asking.owner().equals(owner))
				? AcquiringRules.busy(asking, in, effects) : state;
	}

	static KeyState resubscribed(KeyState state, Inputs in, Effects effects) {
		if (state instanceof Acquiring asking) {
			return AcquiringRules.lookNow(asking, in, effects);
		}
		return (state instanceof Holding held) ? HoldingRules.recalled(held) : state;
	}

	private static void abandonUnlessOwn(KeyState state, String owner, Duration lease, boolean mayHold,
			Effects effects) {
		boolean asked = state instanceof Acquiring asking && asking.owner().equals(owner);
		boolean held = state instanceof Holding holding && holding.isOwn(owner);
		if (!asked && !held) {
			effects.add(new Effect.Abandon(owner, lease, mayHold, null));
		}
	}

	// Time

	static KeyState due(KeyState state, Inputs in, Effects effects) {
		if (state instanceof Acquiring asking) {
			return AcquiringRules.due(asking, in, effects);
		}
		return (state instanceof Holding held) ? HoldingRules.due(held, in, effects) : state;
	}

}
