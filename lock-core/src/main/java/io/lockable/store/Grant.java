package io.lockable.store;

/**
 * Tells a queued waiter that the lock is its own now.
 *
 * @param key the full name of the lock
 * @param owner the owner token that was queued, and holds the lock now
 * @param granted the tokens, and the backend's clock when the lock was given
 * @since 0.1.0
 */
public record Grant(String key, String owner, Granted granted) {

}
