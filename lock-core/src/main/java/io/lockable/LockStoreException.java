package io.lockable;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store behind the locks failed or did not answer: nothing is known about
 * contention, and the lock is not held by the caller.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockStoreException extends LockException {

	private final boolean retryable;

	/**
	 * Creates an exception for a failure that trying again does not cure.
	 * @param message what failed, and for which lock
	 * @param cause the failure of the backend, or {@code null}
	 */
	public LockStoreException(String message, @Nullable Throwable cause) {
		this(message, cause, false);
	}

	/**
	 * Creates an exception.
	 * @param message what failed, and for which lock
	 * @param cause the failure of the backend, or {@code null}
	 * @param retryable whether the backend said that it is temporarily unable to serve
	 */
	public LockStoreException(String message, @Nullable Throwable cause, boolean retryable) {
		super(message, cause);
		this.retryable = retryable;
	}

	/**
	 * Returns whether the backend answered that it cannot serve right now, for example
	 * while it loads its data or during a failover. An acquirer with time left tries
	 * again; a connection that fails is not such an answer.
	 * @return whether the same command may succeed in a moment
	 */
	public boolean isRetryable() {
		return this.retryable;
	}

}
