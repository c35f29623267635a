package io.lockable;

/**
 * Thrown to the youngest call of a deadlock, if deadlocks are
 * {@linkplain io.lockable.engine.inspection.DeadlockAction#BREAK broken}. The call holds
 * the locks that it held before, and should release them.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockDeadlockException extends LockNotAcquiredException {

	/**
	 * Creates an exception.
	 * @param message the lock, and the calls of the deadlock
	 */
	public LockDeadlockException(String message) {
		super(message);
	}

}
