package io.lockable.engine.inspection;

import java.time.Duration;

/**
 * A lock without a holder that an instance retains at the time of the query.
 *
 * @param key the full name of the lock
 * @param owner the owner token in the store
 * @param remaining the rest of the retention if no acquisition uses the lock
 * @since 0.1.0
 */
public record RetainedLock(String key, String owner, Duration remaining) {

}
