package io.lockable;

/**
 * Thrown when another owner held the lock until the wait time was over: contention, not a
 * failure. The lock is not held.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockNotAcquiredException extends LockException {

	/**
	 * Creates an exception.
	 * @param message the lock, and the duration of the wait
	 */
	public LockNotAcquiredException(String message) {
		super(message);
	}

}
