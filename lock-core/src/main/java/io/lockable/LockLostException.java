package io.lockable;

/**
 * Thrown when an acquired lock is no longer held: its lease ended, or the server granted
 * it to another owner. Work since then may have overlapped with that of another holder.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockLostException extends LockException {

	/**
	 * Creates an exception.
	 * @param message the lock, and the way in which the loss was detected
	 */
	public LockLostException(String message) {
		super(message);
	}

}
