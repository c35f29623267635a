package io.lockable;

import java.time.Duration;

/**
 * Says which lock was not acquired, because another owner held it until the wait was
 * over, or for the one try of a call that does not wait.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param waited how long the call took
 * @param timedOut whether the call waited, {@code false} if it made one try
 * @since 0.1.0
 */
public record LockRefused(String key, String name, Duration waited, boolean timedOut) implements LockEvent {
}
