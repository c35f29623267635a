package io.lockable;

/**
 * Thrown when a thread that holds the read lock of a key requests the write lock: it
 * would wait for itself. This is a programming error, not contention. The write lock was
 * not acquired.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockUpgradeException extends LockException {

	/**
	 * Creates an exception.
	 * @param message the lock, and the remedy
	 */
	public LockUpgradeException(String message) {
		super(message);
	}

}
