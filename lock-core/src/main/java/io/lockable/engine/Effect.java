package io.lockable.engine;

/**
 * What a transition does to the outside, after the mutex that guards it is released:
 * sends a command, completes a future.
 */
@FunctionalInterface
interface Effect {

	/**
	 * No effect.
	 */
	Effect NONE = new Effect() {

		@Override
		public void apply() {
		}

		@Override
		public Effect then(Effect next) {
			return next;
		}

	};

	void apply();

	/**
	 * Returns a lambda as an effect, to chain it.
	 * @param effect the effect
	 * @return the same
	 */
	static Effect of(Effect effect) {
		return effect;
	}

	/**
	 * Returns this effect followed by another one.
	 * @param next what follows
	 * @return both
	 */
	default Effect then(Effect next) {
		return (next == NONE) ? this : () -> {
			apply();
			next.apply();
		};
	}

}
