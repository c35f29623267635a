package io.lockable.campaign.check;

/**
 * A lock that a server still had when all workers had stopped.
 *
 * @param key the lock
 * @param seen when it was seen last
 */
public record Leftover(String key, long seen) {
}
