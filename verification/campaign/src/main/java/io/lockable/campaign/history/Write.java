package io.lockable.campaign.history;

/**
 * A write that reached the resource.
 *
 * @param at the time of its arrival
 * @param key the lock that protects it
 * @param id the attempt whose holder wrote
 * @param token the fencing token; 0 for none, which only the unfenced resource accepts
 * @param accepted whether the fenced resource accepted it
 */
public record Write(long at, String key, String id, long token, boolean accepted) {
}
