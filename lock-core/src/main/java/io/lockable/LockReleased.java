package io.lockable;

import java.time.Duration;

/**
 * Says which lease was released by its holder.
 *
 * @param key the full name of the lock
 * @param name {@link LockOptions#name()}
 * @param fencingToken the fencing token of the lease
 * @param held how long it was held
 * @param ours {@code false} if the release came too late: the lock was lost before
 * @since 0.1.0
 */
public record LockReleased(String key, String name, long fencingToken, Duration held,
		boolean ours) implements LockEvent {
}
