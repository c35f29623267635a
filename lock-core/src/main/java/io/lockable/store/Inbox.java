package io.lockable.store;

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
	 * Another instance, or this one, has {@linkplain RecallingLockStore#send sent} a
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

}
