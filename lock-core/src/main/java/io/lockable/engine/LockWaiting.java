package io.lockable.engine;

import java.time.Duration;

import io.lockable.engine.shell.PendingAcquisition;

/**
 * A call of an instance that waits for a lock at the time of the query.
 *
 * @param key the full name of the lock
 * @param name {@link io.lockable.LockOptions#name()}
 * @param thread the name of the waiting thread; for an asynchronous call {@code async}
 * and the calling thread
 * @param waited the time since the start of the call
 * @since 0.1.0
 */
public record LockWaiting(String key, String name, String thread, Duration waited) {

	static LockWaiting of(PendingAcquisition pending, long now) {
		return new LockWaiting(pending.key(), pending.options().name(), pending.callerName(),
				Duration.ofNanos(Math.max(0, now - pending.startedAt())));
	}

}
