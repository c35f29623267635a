package io.lockable.engine.inspection;

import java.time.Duration;

/**
 * A call of an instance that waits for a lock at the time of the query.
 *
 * @param instance the {@linkplain io.lockable.engine.LockEngine.Builder#instance name} of
 * the instance
 * @param key the full name of the lock
 * @param name {@link io.lockable.LockOptions#name()}
 * @param thread the name of the waiting thread; for an asynchronous call {@code async}
 * and the calling thread
 * @param waited the time since the start of the call
 * @since 0.1.0
 */
public record LockWaiting(String instance, String key, String name, String thread, Duration waited) {

}
