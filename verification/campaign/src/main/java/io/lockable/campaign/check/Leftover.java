package io.lockable.campaign.check;

/**
 * A lock that a server still had after all workers had stopped.
 *
 * @param key the lock
 * @param seen the time of its last observation
 */
public record Leftover(String key, long seen) {
}
