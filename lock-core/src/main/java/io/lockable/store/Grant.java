package io.lockable.store;

import java.time.Duration;
import java.util.Objects;

import io.lockable.text.DurationText;

/**
 * The notification of a queued waiter that it holds the lock.
 *
 * <p>
 * The lease of a grant may be shorter than the lease that the waiter requested. If the
 * waiter has died meanwhile, the lock is free when this lease expires. The engine extends
 * the lease when the waiter enters.
 *
 * @param key the full name of the lock
 * @param owner the owner token of the waiter, which holds the lock
 * @param granted the tokens, and the backend's clock at the time of the grant
 * @param lease the lease of the lock from that time; positive, and at most the requested
 * lease
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
