package io.lockable;

import java.time.Duration;

/**
 * The event of a lease that its holder released.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param fencingToken the fencing token of the lease
 * @param held the duration of the hold
 * @param ours {@code false} if the release came too late, after a loss of the lock
 * @since 0.1.0
 */
public record LockReleased(String key, String name, long fencingToken, Duration held,
		boolean ours) implements LockEvent {
}
