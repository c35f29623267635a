package io.lockable.store;

/**
 * A message that requests a lock from an instance that may only retain it. The requesting
 * owner is queued: a {@linkplain LockStore#release release} grants it the lock.
 *
 * @param key the full name of the lock
 * @param holder the owner token that holds the lock
 * @param asking the owner token that requests it
 * @param replyTo the {@linkplain RecallingLockStore#address() address} of the inbox of
 * the requesting instance
 * @since 0.1.0
 */
public record Recall(String key, String holder, String asking, String replyTo) {

}
