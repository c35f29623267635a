package io.lockable.engine;

/**
 * What all keys of an engine share.
 *
 * @param store the way to the store
 * @param clock the time
 * @param timer the one timer
 * @param workers the threads
 * @param notifier notifies listeners and observers
 */
record EngineRuntime(StoreAccess store, LockClock clock, Timer timer, Workers workers, Notifier notifier) {

	long now() {
		return this.clock.getAsLong();
	}

}
