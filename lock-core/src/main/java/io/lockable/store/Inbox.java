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
	 * The subscription is back after an interruption: grants may have been missed, so
	 * every waiter must look again.
	 */
	void resubscribed();

}
