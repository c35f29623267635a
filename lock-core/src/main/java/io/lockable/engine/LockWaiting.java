package io.lockable.engine;

import java.time.Duration;

import io.lockable.engine.lease.Waiter;

/**
 * A call of an instance that waits for a lock, at the moment of the question.
 *
 * @param key the full name of the lock
 * @param name {@link io.lockable.LockOptions#name()}
 * @param thread the name of the thread that waits; for a call that does not block
 * {@code async} and the thread that asked
 * @param waited how long it has waited
 * @since 0.1.0
 */
public record LockWaiting(String key, String name, String thread, Duration waited) {

	static LockWaiting of(Waiter waiter, long now) {
		return new LockWaiting(waiter.key(), waiter.holder().options().name(), waiter.holder().name(),
				Duration.ofNanos(Math.max(0, now - waiter.startedAt())));
	}

}
