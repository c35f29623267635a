package io.lockable;

import java.time.Duration;

/**
 * The event of a refused acquisition: another owner held the lock until the wait time was
 * over, or at the single try.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param waited the duration of the call
 * @param timedOut whether the call waited; {@code false} for a single try
 * @since 0.1.0
 */
public record LockRefused(String key, String name, Duration waited, boolean timedOut) implements LockEvent {
}
