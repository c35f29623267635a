package io.lockable.campaign.check;

/**
 * The time of one fault.
 *
 * @param injected the time before the injection
 * @param healed the time after the healing
 * @param settled the end of its consequences, such as the lease of a killed holder. After
 * this time, no waiter may wait for a free lock
 */
public record Episode(long injected, long healed, long settled) {
}
