package io.lockable.campaign.history;

/**
 * A write that reached the resource.
 *
 * @param at when it arrived
 * @param key the lock that was to protect it
 * @param id the attempt under which it was made
 * @param token the fencing token; 0 for none, which only the unfenced resource takes
 * @param accepted whether the fenced resource took it
 */
public record Write(long at, String key, String id, long token, boolean accepted) {
}
