package io.lockable.store;

import java.time.Duration;

/**
 * One of several leases that a call acquires or extends.
 *
 * @param key the full name of the lock
 * @param owner the owner token
 * @param lease the lease from now on, in whole milliseconds
 * @since 0.1.0
 */
public record LeaseRequest(String key, String owner, Duration lease) {

}
