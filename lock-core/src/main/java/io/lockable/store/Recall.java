package io.lockable.store;

/**
 * A message that asks an instance for a lock that it may only retain. The owner that asks
 * is queued: a {@linkplain LockStore#release release} gives it the lock.
 *
 * @param key the full name of the lock
 * @param holder the owner token that holds the lock
 * @param asking the owner token that asks for it
 * @param replyTo the {@linkplain RecallingLockStore#address() address} of the inbox of
 * the instance that asks
 * @since 0.1.0
 */
public record Recall(String key, String holder, String asking, String replyTo) {

}
