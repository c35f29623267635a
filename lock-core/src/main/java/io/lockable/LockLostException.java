package io.lockable;

/**
 * Thrown when a lock that was acquired is no longer ours: its lease ended, or the server
 * gave it to another owner. Work done since then may have overlapped with another
 * holder's.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockLostException extends LockException {

	/**
	 * Creates an exception.
	 * @param message which lock, and how the loss became known
	 */
	public LockLostException(String message) {
		super(message);
	}

}
