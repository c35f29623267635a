package io.lockable.engine.queue;

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

	long dueAt(KeyMachine machine, KeyState state) {
		return machine.dueAt(state, Shift.NEVER);
	}

}
