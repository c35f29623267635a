package io.lockable.store;

import java.time.Duration;

/**
 * One lease to acquire or to extend, among several that one call asks for.
 *
 * @param key the full name of the lock
 * @param owner the owner token
 * @param lease how long the lock lives from now on, in whole milliseconds
 * @since 0.1.0
 */
public record LeaseRequest(String key, String owner, Duration lease) {

}
