package io.lockable.engine.lease;

import io.lockable.Internal;
import io.lockable.LockClock;
import io.lockable.engine.command.StoreAccess;
import io.lockable.engine.time.Timer;
import io.lockable.engine.time.Workers;

/**
 * The parts that all keys of an engine share.
 *
 * @param store the access to the store
 * @param clock the time
 * @param timer the only timer
 * @param workers the threads
 * @param notifier notifies listeners and observers
 */
@Internal
public record EngineRuntime(StoreAccess store, LockClock clock, Timer timer, Workers workers, Notifier notifier) {

	long now() {
		return this.clock.getAsLong();
	}

}
