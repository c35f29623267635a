package io.lockable.engine;

import java.time.Duration;

/**
 * A lock that nobody holds and this instance retains, for those who look.
 *
 * @param key the full name of the lock
 * @param owner the owner token that the server has
 * @param remaining how long it is retained if nobody takes it
 * @since 0.1.0
 */
public record RetainedLock(String key, String owner, Duration remaining) {

}
