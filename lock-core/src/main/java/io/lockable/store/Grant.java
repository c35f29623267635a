package io.lockable.store;

import java.time.Duration;
import java.util.Objects;

import io.lockable.DurationText;

/**
 * Notifies a queued waiter that the lock is its own now.
 *
 * <p>
 * The lease of a grant may be shorter than the lease that the waiter asked for: a waiter
 * may have died after it asked, and the lock is free again when the lease of its grant
 * has ended. The engine extends it as the waiter enters.
 *
 * @param key the full name of the lock
 * @param owner the owner token that was queued, and holds the lock now
 * @param granted the tokens, and the backend's clock when the lock was given
 * @param lease how long the lock lives from that moment on, positive and at most the
 * lease that the waiter asked for
 * @since 0.1.0
 */
public record Grant(String key, String owner, Granted granted, Duration lease) {

	/**
	 * Validates the lease.
	 * @throws IllegalArgumentException if the lease is not positive
	 */
	public Grant {
		Objects.requireNonNull(lease, "'lease' must not be null");
		if (lease.isNegative() || lease.isZero()) {
			throw new IllegalArgumentException("'lease' must be positive, was %s".formatted(DurationText.of(lease)));
		}
	}

}
