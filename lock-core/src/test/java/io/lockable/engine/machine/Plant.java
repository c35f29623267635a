package io.lockable.engine.machine;

import io.lockable.engine.machine.Inputs.Settings;
import io.lockable.engine.machine.KeyMachine.Step;
import io.lockable.store.Acquisition;

/**
 * The original machine, for subclasses to distort.
 */
class Plant {

	/**
	 * Computes a step.
	 * @param state the state
	 * @param event the event
	 * @param in the inputs
	 * @return the step, distorted or not
	 */
	Step on(KeyState state, KeyEvent event, Inputs in) {
		return KeyMachine.on(state, event, in);
	}

	/**
	 * Computes an answer or a grant of the server.
	 * @param sent the real one
	 * @return the answer or grant, distorted or not
	 */
	Acquisition sent(Acquisition sent) {
		return sent;
	}

	long dueAt(KeyState state, Settings settings) {
		return KeyMachine.dueAt(state, settings, Shift.NEVER);
	}

}
