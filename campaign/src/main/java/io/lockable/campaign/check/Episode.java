package io.lockable.campaign.check;

/**
 * The time of one fault.
 *
 * @param injected the time before it was injected
 * @param healed the time after it was healed
 * @param settled until when its consequences may last: the lease of a holder that was
 * killed, for instance. From then on nobody may wait beside a free lock
 */
public record Episode(long injected, long healed, long settled) {
}
