package io.lockable.engine.queue;

import java.time.Duration;
import java.util.List;

import io.lockable.Internal;
import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.store.Grant;
import io.lockable.store.Granted;
import io.lockable.store.Recall;
import io.lockable.store.Refused;

/**
 * The transition function of a key: from a state and an event to the next state and its
 * effects. It only computes; the caller executes the effects, and returns the answers to
 * commands as events.
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

	private final KeySettings settings;

	private final AcquiringRules acquiring;

	private final EntryRule entry;

	private final HoldingRules holding;

	/**
	 * Creates the machine of a key.
	 * @param settings the constant settings of the key
	 * @param context the inputs from the rest of the engine
	 */
	public KeyMachine(KeySettings settings, KeyContext context) {
		this.settings = settings;
		this.acquiring = new AcquiringRules(settings, context);
		this.entry = new EntryRule(settings, context, this.acquiring);
		this.holding = new HoldingRules(settings, context, this.acquiring, this.entry);
	}

	/**
	 * Computes a step.
	 * @param state the state
	 * @param event the event
	 * @param now the time
	 * @return the next state, and the effects
	 */
	public Step on(KeyState state, KeyEvent event, long now) {
		Effects effects = new Effects();
		KeyState next = state;
		if (event instanceof KeyEvent.Entered || event instanceof KeyEvent.Released
				|| event instanceof KeyEvent.LeaseEnded || event instanceof KeyEvent.Dismissed
				|| event instanceof KeyEvent.Extended) {
			next = (state instanceof Holding held) ? this.holding.expire(held, now, effects) : state;
		}
		next = decide(next, event, now, effects);
		return new Step(settle(next, now, effects), effects.list());
	}

	private KeyState decide(KeyState state, KeyEvent event, long now, Effects effects) {
		if (event instanceof KeyEvent.Entered entered) {
			return entered(state, entered.request(), effects);
		}
		if (event instanceof KeyEvent.TimedOut over) {
			return timedOut(state, over.owner(), now, effects);
		}
		if (event instanceof KeyEvent.Cancelled cancelled) {
			return cancelled(state, cancelled.owner(), effects);
		}
		if (event instanceof KeyEvent.Closing closing) {
			return closing(state, closing.failure(), effects);
		}
		if (event instanceof KeyEvent.Closed closed) {
			KeyState left = failAll(state, closed.failure(), effects);
			return (left instanceof Holding held) ? this.holding.closed(held, closed.failure(), effects) : left;
		}
		if (event instanceof KeyEvent.Answered answered) {
			return answered(state, answered.ask(), answered.answer(), now, effects);
		}
		if (event instanceof KeyEvent.TurnAnswered answered) {
			return turnAnswered(state, answered, now, effects);
		}
		if (event instanceof KeyEvent.TransferAnswered answered) {
			return transferAnswered(state, answered, now, effects);
		}
		if (event instanceof KeyEvent.Granted granted) {
			return granted(state, granted.grant(), now, effects);
		}
		if (event instanceof KeyEvent.Recalled recalled) {
			return recalled(state, recalled.recall(), effects);
		}
		if (event instanceof KeyEvent.Due) {
			return due(state, now, effects);
		}
		if (state instanceof Acquiring asking) {
			return ofAcquiring(asking, event, now, effects);
		}
		return ofHolder(state, event, now, effects);
	}

	private KeyState ofAcquiring(Acquiring state, KeyEvent event, long now, Effects effects) {
		if (event instanceof KeyEvent.Resubscribed) {
			return this.acquiring.lookNow(state, now, effects);
		}
		if (event instanceof KeyEvent.Busy busy) {
			return busy.owner().equals(state.owner()) ? this.acquiring.busy(state, now, effects) : state;
		}
		if (event instanceof KeyEvent.OrphansAnswered answered) {
			return this.acquiring.orphansAnswered(state, answered.orphans(), answered.failure(), now, effects);
		}
		return ofHolder(state, event, now, effects);
	}

	private KeyState ofHolder(KeyState state, KeyEvent event, long now, Effects effects) {
		if (event instanceof KeyEvent.Released released) {
			if (state instanceof Holding held && held.isLeasedTo(released.owner())) {
				return this.holding.released(held, released, now);
			}
			effects.completeReleases(List.of(released.owner()), false, null);
		}
		if (!(state instanceof Holding held)) {
			return state;
		}
		if (event instanceof KeyEvent.Resubscribed) {
			return this.holding.recalled(held);
		}
		if (event instanceof KeyEvent.Dismissed dismissed && held.isLeasedTo(dismissed.owner())) {
			return this.holding.dismissed(held, now, effects);
		}
		if (event instanceof KeyEvent.ShutDown shutDown && held.isLeasedTo(shutDown.owner())) {
			return this.holding.lose(held, LockLost.Reason.SHUTDOWN, now, effects);
		}
		if (event instanceof KeyEvent.Forced forced) {
			return this.holding.forced(held, forced.owner(), now, effects);
		}
		if (event instanceof KeyEvent.Extending extending && held.isLeasedTo(extending.owner())) {
			return this.holding.extending(held, extending, now);
		}
		if (event instanceof KeyEvent.Extended extended && held.isLeasedTo(extended.holder())) {
			return this.holding.extended(held, extended, now, effects);
		}
		return state;
	}

	/**
	 * Decides the next state where a rule leaves it open.
	 */
	private KeyState settle(KeyState state, long now, Effects effects) {
		KeyState next = state;
		if (next instanceof Holding held && !held.isLeased()) {
			next = this.entry.pass(held, now, effects);
		}
		if (next instanceof KeyState.Idle && !next.line().isEmpty()) {
			return this.acquiring.start(next.line(), now, effects);
		}
		boolean over = next.line().isEmpty() && (next instanceof KeyState.Idle
				|| (next instanceof Acquiring asking && !(asking.phase() instanceof Acquiring.InFlight)));
		if (!over) {
			return next;
		}
		if (next instanceof Acquiring asking) {
			this.acquiring.end(asking, effects);
		}
		effects.add(new Effect.Retire());
		return new KeyState.Retired();
	}

	// Requests

	private KeyState entered(KeyState state, Request request, Effects effects) {
		if (state instanceof KeyState.Retired) {
			throw new IllegalStateException("The key is retired: make a new one");
		}
		if (state instanceof Acquiring asking) {
			return this.acquiring.entered(asking, request, effects);
		}
		return (state instanceof Holding held) ? this.holding.entered(held, request, effects)
				: new KeyState.Idle(state.line().with(request));
	}

	private KeyState timedOut(KeyState state, String owner, long now, Effects effects) {
		Request request = state.line().find(owner);
		if (request == null) {
			return state;
		}
		if (state instanceof Acquiring asking) {
			return this.acquiring.timedOut(asking, request, now, effects);
		}
		return this.holding.timedOut((Holding) state, request, effects);
	}

	private static KeyState cancelled(KeyState state, String owner, Effects effects) {
		if (!state.line().has(owner)) {
			return state;
		}
		effects.add(new Effect.Complete(owner, new Outcome.Cancelled()));
		return with(state, state.line().without(owner));
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

	private KeyState closing(KeyState state, LockException failure, Effects effects) {
		KeyState left = failAll(state, failure, effects);
		return (left instanceof Holding held) ? held.with(held.tenure().othersMayWait()) : left;
	}

	// The server

	private KeyState answered(KeyState state, Ask ask, Answer answer, long now, Effects effects) {
		if (state instanceof Acquiring asking && asking.isInFlight(ask)) {
			return this.acquiring.answered(asking, ask, answer, now, effects);
		}
		boolean refused = answer instanceof Answer.Reply reply && reply.acquisition() instanceof Refused;
		boolean unsent = answer instanceof Answer.Dropped || (answer instanceof Answer.Failed failed && !failed.sent());
		if (!unsent && (ask.queue() || ask.recall() || !refused)) {
			abandonUnlessOwn(state, ask.owner(), ask.lease(), !refused, effects);
		}
		return state;
	}

	private KeyState turnAnswered(KeyState state, KeyEvent.TurnAnswered event, long now, Effects effects) {
		Ask ask = event.ask();
		if (isGranted(event.answer()) && this.settings.confirms() && state instanceof Acquiring asking
				&& asking.isInFlight(ask)) {
			return this.acquiring.confirmTurn(asking, now, effects);
		}
		return answered(state, ask, event.answer(), now, effects);
	}

	private KeyState transferAnswered(KeyState state, KeyEvent.TransferAnswered event, long now, Effects effects) {
		Transfer transfer = event.transfer();
		if (state instanceof Holding held && held.sync() instanceof Holding.Unsettled unsettled
				&& unsettled.transfer().equals(transfer)) {
			return this.holding.transferAnswered(held, transfer, event.answer(), now, effects);
		}
		if (!(event.answer() instanceof Answer.Reply reply && reply.acquisition() instanceof Refused)) {
			abandonUnlessOwn(state, transfer.successor(), transfer.lease(), true, effects);
		}
		return state;
	}

	private static boolean isGranted(Answer answer) {
		return answer instanceof Answer.Reply reply && reply.acquisition() instanceof Granted;
	}

	private KeyState granted(KeyState state, Grant message, long now, Effects effects) {
		if (state instanceof Acquiring asking && asking.owner().equals(message.owner())) {
			return this.acquiring.granted(asking, message, now, effects);
		}
		abandonUnlessOwn(state, message.owner(), UNKNOWN_LEASE, false, effects);
		return state;
	}

	private KeyState recalled(KeyState state, Recall recall, Effects effects) {
		if (!(state instanceof Holding held && held.isOwn(recall.holder()))) {
			return state;
		}
		if (held.isLeased()) {
			effects.add(new Effect.AnswerBusy(recall));
		}
		return this.holding.recalled(held);
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

	private KeyState due(KeyState state, long now, Effects effects) {
		if (state instanceof Acquiring asking) {
			return this.acquiring.due(asking, now, effects);
		}
		return (state instanceof Holding held) ? this.holding.due(held, now, effects) : state;
	}

	/**
	 * Returns the latest time of the next {@link KeyEvent.Due}.
	 * @param state the state
	 * @param never the result if nothing is due
	 * @return the time
	 */
	public long dueAt(KeyState state, long never) {
		if (state instanceof Acquiring asking) {
			return this.acquiring.dueAt(asking);
		}
		return (state instanceof Holding held) ? this.holding.dueAt(held, never) : never;
	}

	/**
	 * Returns the state of a new key.
	 * @return the state
	 */
	public static KeyState newKey() {
		return new KeyState.Idle(Line.EMPTY);
	}

}
