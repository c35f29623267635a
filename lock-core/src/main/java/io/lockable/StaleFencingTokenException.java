package io.lockable;

/**
 * Thrown when {@link LockContext#fencedUpdate} updates no row: the lock is lost and a
 * later holder has updated the row, or the row does not exist.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class StaleFencingTokenException extends LockLostException {

	/**
	 * Creates an exception.
	 * @param message the lock, and its fencing token
	 */
	public StaleFencingTokenException(String message) {
		super(message);
	}

}
