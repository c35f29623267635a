package io.lockable.engine.machine;

import java.util.List;

/**
 * One rule: a state and an event, and the next state with its effects.
 *
 * @param name the description of the rule
 * @param setting the key, and the rest of the engine
 * @param state the state
 * @param event the event
 * @param next the next state
 * @param effects the effects
 */
record Rule(String name, Setting setting, KeyState state, KeyEvent event, KeyState next, List<Effect> effects) {

	@Override
	public String toString() {
		return this.name;
	}

}
