package io.lockable;

import java.time.Duration;

/**
 * Says which lock was not acquired, because somebody else held it until the wait was
 * over.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param waited how long the call took
 * @since 0.1.0
 */
public record LockRefused(String key, String name, Duration waited) {
}
