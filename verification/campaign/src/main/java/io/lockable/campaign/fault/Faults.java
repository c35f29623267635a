package io.lockable.campaign.fault;

import java.util.List;
import java.util.stream.Stream;

import io.lockable.campaign.contestant.Topology;

/**
 * All faults.
 */
public final class Faults {

	/**
	 * The faults, by the number of servers that they need.
	 */
	public static final List<Fault> ALL = Stream
		.of(List.of(Fault.ofWorkers("none", (scene) -> Fault.NOTHING)), ProcessFaultKinds.ALL, NetworkFaultKinds.ALL,
				ServerFaultKinds.ALL, ClockFaultKinds.ALL, DeploymentFaultKinds.ALL, PostgresFaultKinds.ALL)
		.flatMap(List::stream)
		.toList();

	private Faults() {
	}

	/**
	 * Returns the faults for a deployment.
	 * @param topology the deployment
	 * @return the faults
	 */
	public static List<Fault> of(Topology topology) {
		return ALL.stream().filter((fault) -> fault.topologies().contains(topology)).toList();
	}

	/**
	 * Finds a fault.
	 * @param name its name
	 * @return the fault
	 */
	public static Fault named(String name) {
		return ALL.stream()
			.filter((fault) -> fault.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("'fault' must be known, was " + name));
	}

}
