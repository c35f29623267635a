package io.lockable.campaign.worker;

import java.util.List;

import io.lockable.campaign.contestant.Address;
import io.lockable.campaign.contestant.Contestants;
import io.lockable.campaign.contestant.LockKind;

/**
 * The argument of a worker's JVM.
 *
 * @param name the name of the worker
 * @param contestant the name of the contestant
 * @param address the address of its Redis
 * @param resource the port of the resource
 */
public record WorkOrder(String name, String contestant, Address address, int resource) {

	/**
	 * Returns the kinds of locks that the worker uses.
	 * @return the kinds that the contestant has on these servers
	 */
	List<LockKind> kinds() {
		return Contestants.kinds(this.contestant, this.address.topology());
	}

}
