package io.lockable.engine.machine;

import java.util.List;

/**
 * The transition function of a key: from a state, an event and the inputs to the next
 * state and its effects. It only computes; the caller executes the effects, and returns
 * the answers to commands as events.
 *
 * <p>
 * {@link KeyState} states the invariants. {@link KeyEvent} has a rule for each event; the
 * others are in {@link AcquiringRules}, {@link HoldingRules} and {@link HandOffRules}.
 */
public final class KeyMachine {

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
		StepBuilder step = new StepBuilder(in);
		return new Step(settle(event.apply(state, step), step), step.effects());
	}

	/**
	 * Returns the latest time of the next {@link KeyEvent.Due}.
	 * @param state the state
	 * @param settings the settings of the key
	 * @param never the result if nothing is due
	 * @return the time
	 */
	public static long dueAt(KeyState state, Inputs.Settings settings, long never) {
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
		return new KeyState.Idle(WaitQueue.EMPTY);
	}

	/**
	 * Decides the next state where a rule leaves it open.
	 */
	private static KeyState settle(KeyState state, StepBuilder step) {
		KeyState next = state;
		if (next instanceof Holding held && !held.isLeased()) {
			next = HandOffRules.pass(held, step);
		}
		if (next instanceof KeyState.Idle && !next.waiting().isEmpty()) {
			return AcquiringRules.start(next.waiting(), step);
		}
		boolean over = next.waiting().isEmpty() && (next instanceof KeyState.Idle
				|| (next instanceof Acquiring asking && !(asking.phase() instanceof Acquiring.InFlight)));
		if (!over) {
			return next;
		}
		if (next instanceof Acquiring asking) {
			AcquiringRules.end(asking, step);
		}
		step.add(new Effect.Retire());
		return new KeyState.Retired();
	}

	/**
	 * The result of an event.
	 *
	 * @param state the next state
	 * @param effects the changes outside of the key, in this order
	 */
	public record Step(KeyState state, List<Effect> effects) {

	}

}
