package io.lockable.campaign.worker;

import java.util.List;

import io.lockable.campaign.contestant.Address;

/**
 * The arguments of a worker.
 *
 * @param name the name of the worker, without a hyphen
 * @param contestant the name of the contestant
 * @param address the address of Redis
 * @param resource the port of the resource
 */
public record WorkOrder(String name, String contestant, Address address, int resource) {

	static WorkOrder parse(String[] arguments) {
		return new WorkOrder(arguments[0], arguments[1], Address.parse(arguments[2]), Integer.parseInt(arguments[3]));
	}

	List<String> arguments() {
		return List.of(this.name, this.contestant, this.address.text(), Integer.toString(this.resource));
	}

}
