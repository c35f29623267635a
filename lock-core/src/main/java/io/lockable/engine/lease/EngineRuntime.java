package io.lockable.engine.lease;

import io.lockable.Internal;
import io.lockable.LockClock;
import io.lockable.engine.command.StoreAccess;
import io.lockable.engine.time.Timer;
import io.lockable.engine.time.Workers;

/**
 * What all keys of an engine share.
 *
 * @param store the way to the store
 * @param clock the time
 * @param timer the one timer
 * @param workers the threads
 * @param notifier notifies listeners and observers
 */
@Internal
public record EngineRuntime(StoreAccess store, LockClock clock, Timer timer, Workers workers, Notifier notifier) {

	long now() {
		return this.clock.getAsLong();
	}

}
