package io.lockable;

/**
 * Thrown when a thread that holds the read lock of a key asks for the write lock: it
 * would wait for itself. A mistake in the program, not contention; nothing was acquired.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockUpgradeException extends LockException {

	/**
	 * Creates an exception.
	 * @param message which lock, and what to do
	 */
	public LockUpgradeException(String message) {
		super(message);
	}

}
