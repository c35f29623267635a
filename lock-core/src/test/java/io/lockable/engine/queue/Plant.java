package io.lockable.engine.queue;

import io.lockable.store.Acquisition;

/**
 * The original machine, for subclasses to distort.
 */
class Plant {

	/**
	 * Computes a step.
	 * @param machine the real machine
	 * @param state the state
	 * @param event the event
	 * @return the step, distorted or not
	 */
	Step on(KeyMachine machine, KeyState state, KeyEvent event) {
		return machine.on(state, event, 0);
	}

	/**
	 * Computes an answer or a grant of the server.
	 * @param sent the real one
	 * @return the answer or grant, distorted or not
	 */
	Acquisition sent(Acquisition sent) {
		return sent;
	}

	long dueAt(KeyMachine machine, KeyState state) {
		return machine.dueAt(state, Shift.NEVER);
	}

}
