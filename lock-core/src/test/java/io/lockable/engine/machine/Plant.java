package io.lockable.engine.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import io.lockable.engine.machine.Inputs.Settings;
import io.lockable.engine.machine.KeyMachine.Step;
import io.lockable.store.Acquisition;
import org.jspecify.annotations.Nullable;

/**
 * The machine and the answers of the server, distorted or not.
 *
 * @param machine computes a step
 * @param due computes the time of the next event without a message
 * @param server computes an answer or a grant of the server from the real one
 */
record Plant(Machine machine, Due due, UnaryOperator<Acquisition> server) {

	/**
	 * The original.
	 */
	static final Plant REAL = of(KeyMachine::on);

	static Plant of(Machine machine) {
		return new Plant(machine, (state, settings) -> KeyMachine.dueAt(state, settings, Shift.NEVER), (sent) -> sent);
	}

	/**
	 * Distorts the effects of each step.
	 * @param change returns another effect, or {@code null} for none
	 * @return the plant
	 */
	static Plant ofEffects(EffectChange change) {
		return of((state, event, in) -> {
			Step step = KeyMachine.on(state, event, in);
			List<Effect> changed = new ArrayList<>();
			for (Effect effect : step.effects()) {
				Effect kept = change.apply(state, event, effect);
				if (kept != null) {
					changed.add(kept);
				}
			}
			return new Step(step.state(), changed);
		});
	}

	/**
	 * Distorts the time of the next event.
	 * @param wrong whether the time of a state is wrong
	 * @param time its wrong time
	 * @return the plant
	 */
	Plant dueAt(Predicate<KeyState> wrong, long time) {
		return new Plant(this.machine, (state, settings) -> wrong.test(state) ? time : this.due.at(state, settings),
				this.server);
	}

	Plant sent(UnaryOperator<Acquisition> newServer) {
		return new Plant(this.machine, this.due, newServer);
	}

	/**
	 * Computes a step.
	 */
	interface Machine {

		Step on(KeyState state, KeyEvent event, Inputs in);

	}

	/**
	 * Computes a time.
	 */
	interface Due {

		long at(KeyState state, Settings settings);

	}

	/**
	 * Changes an effect.
	 */
	interface EffectChange {

		@Nullable Effect apply(KeyState state, KeyEvent event, Effect effect);

	}

}
