package io.lockable.campaign.worker;

import io.lockable.campaign.contestant.Address;

/**
 * The argument of a worker's JVM.
 *
 * @param name the name of the worker
 * @param contestant the name of the contestant
 * @param address the address of its Redis
 * @param resource the port of the resource
 */
public record WorkOrder(String name, String contestant, Address address, int resource) {
}
