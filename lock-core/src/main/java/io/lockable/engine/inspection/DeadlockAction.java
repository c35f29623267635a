package io.lockable.engine.inspection;

/**
 * The reaction to a deadlock: a circle of calls, each of which holds a lock and waits for
 * the lock of the next one.
 *
 * @since 0.1.0
 */
public enum DeadlockAction {

	/**
	 * Logs one WARN with all calls, and publishes
	 * {@link io.lockable.LockEvent.Deadlocked}.
	 */
	REPORT,

	/**
	 * Also fails the call that began to wait last, with a
	 * {@link io.lockable.LockDeadlockException}. A deadlock that is only possible,
	 * because it contains a lock that no thread holds, is reported and not broken.
	 */
	BREAK,

	/**
	 * Does not search for deadlocks.
	 */
	OFF

}
