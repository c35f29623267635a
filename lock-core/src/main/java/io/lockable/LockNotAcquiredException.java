package io.lockable;

import java.time.Duration;

import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when another owner held the lock until the wait time was over: contention, not a
 * failure. The lock is not held.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class LockNotAcquiredException extends LockException {

	/**
	 * Creates an exception for a lock that another owner held.
	 * @param key the full name of the lock
	 * @param waitTime the time waited for it; zero for a single try
	 */
	public LockNotAcquiredException(String key, Duration waitTime) {
		this(key, waitTime, null);
	}

	/**
	 * Creates an exception for a lock whose holder may be known.
	 * @param key the full name of the lock
	 * @param waitTime the time waited for it; zero for a single try
	 * @param holder the description of the holder, or {@code null}
	 */
	public LockNotAcquiredException(String key, Duration waitTime, @Nullable String holder) {
		this((waitTime.isZero() ? "Lock '%s' is held by another owner".formatted(key)
				: "Lock '%s' was not acquired within %s: another owner holds it".formatted(key,
						DurationText.of(waitTime)))
				+ ((holder != null) ? ": " + holder : ""));
	}

	/**
	 * Creates an exception with a message of its own.
	 * @param message the lock, and the duration of the wait
	 */
	public LockNotAcquiredException(String message) {
		super(message);
	}

}
