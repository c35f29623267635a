package io.lockable.store;

/**
 * Receives what a {@link QueueingLockStore} has for the waiters of one instance. Methods
 * are called on threads of the store's client, must not block, and never throw.
 *
 * @since 0.1.0
 */
public interface Inbox {

	/**
	 * A queued waiter was given its lock.
	 * @param grant the grant
	 */
	void granted(Grant grant);

	/**
	 * Another owner asks for a lock that an owner token of this instance holds, if the
	 * instance only retains it. Does nothing unless overridden.
	 * @param recall who asks for what
	 */
	default void recalled(Recall recall) {
	}

	/**
	 * The holder works with a lock that a waiter of this instance has asked it for. Does
	 * nothing unless overridden.
	 * @param key the full name of the lock
	 * @param owner the owner token of the waiter
	 */
	default void busy(String key, String owner) {
	}

	/**
	 * The subscription is back after an interruption: grants may have been missed, so
	 * every waiter must look again.
	 */
	void resubscribed();

}
