package io.lockable;

import java.time.Duration;

/**
 * The event of a renewed lease.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param fencingToken the fencing token of the lease
 * @param lag the delay of the renewal, relative to its planned time
 * @since 0.1.0
 */
public record LockRenewed(String key, String name, long fencingToken, Duration lag) implements LockEvent {
}
