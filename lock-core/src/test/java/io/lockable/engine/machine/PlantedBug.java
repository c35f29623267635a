package io.lockable.engine.machine;

import java.util.ArrayList;
import java.util.List;

import io.lockable.engine.machine.Acquiring.AwaitingRecall;
import io.lockable.engine.machine.Acquiring.InFlight;
import io.lockable.engine.machine.Acquiring.Knowledge;
import io.lockable.engine.machine.Acquiring.Scheduled;
import io.lockable.engine.machine.KeyMachine.Step;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;

/**
 * Bugs that the exploration finds: each is the real machine with one distortion.
 */
@SuppressWarnings("ImmutableEnumChecker")
enum PlantedBug {

	/**
	 * Owner tokens are not abandoned.
	 */
	NO_ABANDON("The server knows", Search.TWO,
			Plant.ofEffects((state, event, effect) -> (effect instanceof Effect.Abandon) ? null : effect)),

	/**
	 * A lost lease is abandoned only under its old owner token, although a transfer is in
	 * flight.
	 */
	FORGOTTEN_SUCCESSOR("The server knows", Search.TWO_WITH_PAUSE, Plant.ofEffects((state, event, effect) -> {
		String successor = (state instanceof Holding held && held.sync() instanceof Holding.Unsettled unsettled)
				? unsettled.transfer().successor() : "";
		return (effect instanceof Effect.Abandon abandon && abandon.owner().equals(successor)) ? null : effect;
	})),

	/**
	 * The answers to commands of a retired queue are ignored.
	 */
	RETIRED_WITH_COMMAND_IN_FLIGHT("The server knows", Search.TWO, Plant.of((state, event, in) -> {
		if (state instanceof KeyState.Retired && event instanceof KeyEvent.Answered) {
			return new Step(state, List.of());
		}
		Step step = KeyMachine.on(state, event, in);
		boolean awaits = step.state() instanceof Acquiring asking && asking.waiting().isEmpty()
				&& asking.phase() instanceof InFlight;
		return awaits ? new Step(new KeyState.Retired(), step.effects()) : step;
	})),

	/**
	 * The releases that the answer to a transfer confirms are not completed.
	 */
	NO_COMPLETE_RELEASE("The queue retires while", Search.TWO,
			Plant.ofEffects((state, event,
					effect) -> (effect instanceof Effect.CompleteRelease && event instanceof KeyEvent.TransferAnswered)
							? null : effect)),

	/**
	 * A release of the lock completes no release of a holder.
	 */
	RELEASE_FORGOTTEN("The queue retires while", Search.TWO,
			Plant.ofEffects((state, event,
					effect) -> (effect instanceof Effect.GiveBack back) ? new Effect.GiveBack(back.owner(),
							back.previous(), back.rest(), back.keptUntil(), List.of(), back.next()) : effect)),

	/**
	 * A request is refused twice.
	 */
	COMPLETED_TWICE("is completed, but is", Search.TWO, Plant.of((state, event, in) -> {
		Step step = KeyMachine.on(state, event, in);
		return new Step(step.state(), plus(step.effects(),
				step.effects().stream().filter((effect) -> effect instanceof Effect.Complete).toList()));
	})),

	/**
	 * A message is dropped, and no poll is scheduled.
	 */
	MESSAGE_SWALLOWED("depend on a message alone", Search.TWO,
			Plant
				.of((state, event, in) -> (event instanceof KeyEvent.Granted) ? new Step(state, List.of())
						: KeyMachine.on(state, event, in))
				.dueAt(PlantedBug::isScheduled, Shift.NEVER)),

	/**
	 * A due poll is postponed: a lost message is never detected.
	 */
	NO_LOOK("Never at rest", Search.THREE_WITH_FAULT,
			Plant.of((state, event, in) -> (isScheduled(state) && event instanceof KeyEvent.Due)
					? new Step(((Acquiring) state).with((Acquiring.Phase) new Scheduled(Shift.TICK)), List.of())
					: KeyMachine.on(state, event, in))),

	/**
	 * The answer to a transfer is lost in the instance, and the transfer is not retried.
	 */
	TRANSFER_ANSWER_LOST("Never at rest", Search.TWO,
			Plant
				.of((state, event, in) -> (event instanceof KeyEvent.TransferAnswered) ? new Step(state, List.of())
						: KeyMachine.on(state, event, in))
				.dueAt((state) -> state instanceof Holding, 10 * Shift.TICK)),

	/**
	 * A successor enters after the local deadline of the tenure.
	 */
	ENTRY_AFTER_DEADLINE("Fencing token", Search.TWO_WITH_PAUSE,
			Plant.of((state, event,
					in) -> KeyMachine.on((state instanceof Holding held && event instanceof KeyEvent.Released)
							? prolonged(held) : state, event, in))),

	/**
	 * A message that is older than a refusal is accepted.
	 */
	OLD_MESSAGE_BELIEVED("Two holders", Search.THREE_WITH_PAUSE,
			Plant.of((state, event,
					in) -> KeyMachine.on((state instanceof Acquiring asking && event instanceof KeyEvent.Granted)
							? trusting(asking) : state, event, in))),

	/**
	 * The server's clock orders grants and refusals. Found in a longer search.
	 */
	LONG_GRANTS_ORDERED_BY_CLOCK("Two holders", Search.LONG_THREE_WITH_CLOCK, Plant.of((state, event, in) -> {
		boolean believed = state instanceof Acquiring asking && event instanceof KeyEvent.Granted message
				&& asking.knowledge().lastToken() > 0
				&& message.grant().granted().serverMicros() > asking.knowledge().lastToken();
		return KeyMachine.on(believed ? trusting((Acquiring) state) : state, event, in);
	}).sent(PlantedBug::withServerTime)),

	/**
	 * A late extension counts from its answer, and revives an expired lease.
	 */
	LATE_EXTENSION("Two holders", Search.BRIEF, Plant.of((state, event, in) -> {
		if (!(state instanceof Holding held && event instanceof KeyEvent.Extended late)) {
			return KeyMachine.on(state, event, in);
		}
		Holding revived = held.with(held.tenure().validUntil(Deadline.later(held.tenure().deadline(), 1)));
		return KeyMachine.on(revived,
				new KeyEvent.Extended(late.holder(), late.owner(), late.lease(), 0, late.extended()), in);
	})),

	/**
	 * A kept lock is passed on within the instance.
	 */
	KEPT_PASSED_ON("is kept", Search.TWO, Plant.of((state, event, in) -> KeyMachine.on(state,
			(event instanceof KeyEvent.Released release) ? new KeyEvent.Released(release.owner(), null) : event, in))),

	/**
	 * The second holder of a tenure has the fencing token of the first one.
	 */
	SAME_TOKEN("Fencing token", Search.TWO, Plant.ofEffects(
			(state, event, effect) -> (effect instanceof Effect.Enter enter && event instanceof KeyEvent.Released)
					? new Effect.Enter(enter.request(), enter.fencingToken() - 1, enter.deadline(), enter.grant())
					: effect)),

	/**
	 * A retained lock is entered after its local deadline.
	 */
	RETAINED_TOO_LONG("Fencing token", Search.RETAINED_WITH_PAUSE,
			Plant
				.of((state, event,
						in) -> KeyMachine.on((isRetained(state) && event instanceof KeyEvent.Entered)
								? prolonged((Holding) state) : state, event, in))
				.dueAt(PlantedBug::isRetained, 10 * Shift.TICK)),

	/**
	 * A lock that is released after a recall is retained nevertheless.
	 */
	RECALLED_AND_RETAINED("Fencing token", Search.RETAINED, Plant.of((state, event, in) -> {
		Step step = KeyMachine.on(state, event, in);
		boolean handedOver = isRetained(state) && ((Holding) state).isInSync() && event instanceof KeyEvent.Recalled;
		return handedOver ? new Step(state,
				step.effects().stream().filter((effect) -> effect instanceof Effect.GiveBack).toList()) : step;
	})),

	/**
	 * A lock is retained without limit.
	 */
	NEVER_GIVEN_BACK("Never at rest", Search.RETAINED_BRIEF,
			Plant.of((state, event, in) -> (isRetained(state) && event instanceof KeyEvent.Due)
					? new Step(((Holding) state).with(new Holding.Retained(Shift.TICK)), List.of())
					: KeyMachine.on(state, event, in))),

	/**
	 * The wait for the answer to a recall has no limit.
	 */
	RECALL_AWAITED("depend on a message alone", Search.RETAINED,
			Plant.REAL.dueAt((state) -> state instanceof Acquiring asking && asking.phase() instanceof AwaitingRecall,
					Shift.NEVER)),

	/**
	 * A release is not completed when the lock is retained.
	 */
	RETAINED_RELEASE_FORGOTTEN("The queue retires while", Search.RETAINED, Plant.ofEffects(
			(state, event, effect) -> (effect instanceof Effect.CompleteRelease && event instanceof KeyEvent.Released)
					? null : effect)),

	/**
	 * A request enters a lock that another command gave, although the store needs
	 * confirmation.
	 */
	UNCONFIRMED("enters unconfirmed", Search.CONFIRMED, Plant.REAL) {

		@Override
		Exploration exploration() {
			return super.exploration().unconfirmed();
		}

	};

	private final String finding;

	private final Search search;

	private final Plant plant;

	PlantedBug(String finding, Search search, Plant plant) {
		this.finding = finding;
		this.search = search;
		this.plant = plant;
	}

	/**
	 * Returns the start of the violation's message.
	 * @return a part of the message
	 */
	String finding() {
		return this.finding;
	}

	Exploration exploration() {
		return this.search.exploration().with(this.plant).named(name() + " in " + this.search);
	}

	private static boolean isScheduled(KeyState state) {
		return state instanceof Acquiring asking && asking.phase() instanceof Scheduled;
	}

	private static boolean isRetained(KeyState state) {
		return state instanceof Holding held && held.isRetained();
	}

	private static Holding prolonged(Holding held) {
		return held.with(held.tenure().validUntil(Deadline.ofLease(0, held.tenure().lease())));
	}

	// Any message is believed, from its receipt on.
	private static Acquiring trusting(Acquiring asking) {
		Knowledge known = asking.knowledge();
		return asking.with(new Knowledge(known.contended(), false, 0, 1, known.message(), known.failure()));
	}

	private static Acquisition withServerTime(Acquisition sent) {
		if (sent instanceof Granted granted) {
			return new Granted(granted.firstToken(), granted.lastToken(), granted.othersWaiting(), Shift.SERVER_NOW);
		}
		Refused refused = (Refused) sent;
		return new Refused(refused.remaining(), (refused.lastToken() > 0) ? Shift.SERVER_NOW : 0, refused.recalled());
	}

	private static List<Effect> plus(List<Effect> effects, List<Effect> more) {
		List<Effect> all = new ArrayList<>(effects);
		all.addAll(more);
		return all;
	}

}
