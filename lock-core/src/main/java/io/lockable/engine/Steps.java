package io.lockable.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The steps of a state machine, one at a time. What a step does to the outside, sending a
 * command or completing a future, it adds as an effect: effects run after the mutex is
 * released, in their order.
 */
final class Steps {

	private final ReentrantLock mutex = new ReentrantLock();

	private final Runnable end;

	private List<Runnable> effects = new ArrayList<>();

	/**
	 * Creates the steps.
	 * @param end what each step ends with, under the mutex
	 */
	Steps(Runnable end) {
		this.end = end;
	}

	/**
	 * Adds an effect, as a part of a step.
	 * @param effect what to do after the step
	 */
	void after(Runnable effect) {
		this.effects.add(effect);
	}

	/**
	 * Does a step and its effects.
	 * @param <T> what comes of it
	 * @param transition the step
	 * @return what comes of it
	 */
	<T extends @Nullable Object> T run(Supplier<T> transition) {
		T result;
		List<Runnable> due;
		this.mutex.lock();
		try {
			result = transition.get();
			due = takeEffects();
			this.end.run();
		}
		finally {
			this.mutex.unlock();
		}
		for (Runnable effect : due) {
			effect.run();
		}
		return result;
	}

	/**
	 * Looks at the state without changing it.
	 * @param <T> what is seen
	 * @param look the look
	 * @return what is seen
	 */
	<T> T look(Supplier<T> look) {
		this.mutex.lock();
		try {
			return look.get();
		}
		finally {
			this.mutex.unlock();
		}
	}

	private List<Runnable> takeEffects() {
		if (this.effects.isEmpty()) {
			return List.of();
		}
		List<Runnable> taken = this.effects;
		this.effects = new ArrayList<>(2);
		return taken;
	}

}
