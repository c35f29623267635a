package io.lockable.engine.shell;

import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.Timer;

/**
 * The parts that all keys of an engine share.
 *
 * @param store the access to the store
 * @param runtime time, random numbers and threads
 * @param timer the only timer
 * @param notifier notifies the listeners
 * @param recorder records waits and holds
 */
public record EngineParts(StoreAccess store, EngineRuntime runtime, Timer timer, Notifier notifier,
		FlightRecorder recorder) {

	long now() {
		return this.runtime.now();
	}

}
