package io.lockable.engine.queue;

/**
 * The machine as it is, to be distorted by subclasses.
 */
class Plant {

	/**
	 * Computes a step.
	 * @param machine the real machine
	 * @param state the state
	 * @param event what happens
	 * @return the step, distorted or not
	 */
	Step on(KeyMachine machine, KeyState state, KeyEvent event) {
		return machine.on(state, event, 0);
	}

	long dueAt(KeyMachine machine, KeyState state) {
		return machine.dueAt(state, Shift.NEVER);
	}

}
