package io.lockable;

import java.time.Duration;

/**
 * Says which lease was renewed.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param fencingToken the fencing token of the lease
 * @param lag how much later than planned the renewal was sent
 * @since 0.1.0
 */
public record LockRenewed(String key, String name, long fencingToken, Duration lag) implements LockEvent {
}
