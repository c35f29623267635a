package io.lockable;

import java.time.Duration;

/**
 * The event of an acquisition that the caller cancelled: its thread was interrupted, or
 * its future cancelled. If several keys were not free together, their joint attempt is
 * cancelled, and they are acquired one by one.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param waited the duration of the call
 * @since 0.1.0
 */
public record LockCancelled(String key, String name, Duration waited) implements LockEvent {
}
