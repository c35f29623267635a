package io.lockable;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store failed or did not answer. The caller does not hold the lock, and
 * contention is unknown.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockStoreException extends LockException {

	private final boolean retryable;

	/**
	 * Creates an exception for a permanent failure without a cause.
	 * @param message the failure and the lock
	 */
	public LockStoreException(String message) {
		this(message, null);
	}

	/**
	 * Creates an exception for a permanent failure.
	 * @param message the failure and the lock
	 * @param cause the failure of the backend, or {@code null}
	 */
	public LockStoreException(String message, @Nullable Throwable cause) {
		this(message, cause, false);
	}

	/**
	 * Creates an exception.
	 * @param message the failure and the lock
	 * @param cause the failure of the backend, or {@code null}
	 * @param retryable whether the backend reported a temporary failure
	 */
	public LockStoreException(String message, @Nullable Throwable cause, boolean retryable) {
		super(message, cause);
		this.retryable = retryable;
	}

	/**
	 * Returns whether the backend reported a temporary failure, for example while it
	 * loads its data or fails over. An acquisition with wait time left is then retried. A
	 * failed connection does not count as such a report.
	 * @return whether the same command may soon succeed
	 */
	public boolean isRetryable() {
		return this.retryable;
	}

}
