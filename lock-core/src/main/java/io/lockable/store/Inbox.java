package io.lockable.store;

import java.time.Duration;
import java.util.Objects;

import io.lockable.store.Acquisition.Granted;
import io.lockable.text.DurationText;

/**
 * The receiver of the messages of a {@link QueueingLockStore} to the waiters of one
 * instance. Methods are called on threads of the store's client. They must not block, and
 * never throw.
 *
 * @since 0.1.0
 */
public interface Inbox {

	/**
	 * A queued waiter was granted its lock.
	 * @param grant the grant
	 */
	void granted(Grant grant);

	/**
	 * Another owner requests a lock that an owner token of this instance holds, in case
	 * the instance only retains it. The default does nothing.
	 * @param recall the request
	 */
	default void recalled(Recall recall) {
	}

	/**
	 * The holder still uses a lock that a waiter of this instance recalled. The default
	 * does nothing.
	 * @param key the full name of the lock
	 * @param owner the owner token of the waiter
	 */
	default void busy(String key, String owner) {
	}

	/**
	 * Another instance, or this one, has {@linkplain MessagingLockStore#send sent} a
	 * message. The default does nothing.
	 * @param message the message, which may have been forged
	 */
	default void received(String message) {
	}

	/**
	 * The subscription is lost, and no message arrives until {@link #resubscribed}. A
	 * client that restores subscriptions itself may not report the loss. The default does
	 * nothing.
	 */
	default void interrupted() {
	}

	/**
	 * The subscription is restored after an interruption. Each waiter must poll again,
	 * because grants may have been missed.
	 */
	void resubscribed();

	/**
	 * The notification of a queued waiter that it holds the lock.
	 *
	 * <p>
	 * The lease of a grant may be shorter than the lease that the waiter requested. If
	 * the waiter has died meanwhile, the lock is free when this lease expires. The engine
	 * extends the lease when the waiter enters.
	 *
	 * @param key the full name of the lock
	 * @param owner the owner token of the waiter, which holds the lock
	 * @param granted the tokens, and the backend's clock at the time of the grant
	 * @param lease the lease of the lock from that time; positive, and at most the
	 * requested lease
	 */
	record Grant(String key, String owner, Granted granted, Duration lease) {

		/**
		 * Validates the lease.
		 * @throws IllegalArgumentException if the lease is not positive
		 */
		public Grant {
			Objects.requireNonNull(lease, "'lease' must not be null");
			if (lease.isNegative() || lease.isZero()) {
				throw new IllegalArgumentException(
						"'lease' must be positive, was %s".formatted(DurationText.of(lease)));
			}
		}

	}

	/**
	 * A message that requests a lock from an instance that may only retain it. The
	 * requesting owner is queued: a {@linkplain LockStore#release release} grants it the
	 * lock.
	 *
	 * @param key the full name of the lock
	 * @param holder the owner token that holds the lock
	 * @param asking the owner token that requests it
	 * @param replyTo the {@linkplain MessagingLockStore#address() address} of the inbox
	 * of the requesting instance
	 */
	record Recall(String key, String holder, String asking, String replyTo) {

	}

}
