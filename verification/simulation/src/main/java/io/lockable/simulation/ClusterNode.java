package io.lockable.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import io.lettuce.core.cluster.SlotHash;
import io.lockable.simulation.redis.RedisError;
import io.lockable.simulation.redis.Reply;
import io.lockable.simulation.redis.SimulatedRedis;

/**
 * A node of a cluster, which has a range of the slots. Its messages also reach the
 * subscribers of the other nodes.
 */
final class ClusterNode extends SimulatedServer {

	private final int number;

	private final List<ClusterNode> others = new ArrayList<>();

	/**
	 * Starts a node.
	 * @param number its number, from 1 on
	 * @param scheduler runs its events
	 * @param faults its faults
	 * @param trace receives its commands
	 * @param seed the seed
	 * @param plant changes its scripts
	 */
	ClusterNode(int number, Scheduler scheduler, Faults faults, Trace trace, long seed, UnaryOperator<String> plant) {
		super(Deployment.CLUSTER, number, scheduler, faults, trace, seed, plant);
		this.number = number;
		redis().joinCluster();
	}

	/**
	 * Connects a node with another one.
	 * @param other the other node
	 */
	void meet(ClusterNode other) {
		this.others.add(other);
		other.others.add(this);
	}

	/**
	 * Returns the number of the node that has a slot.
	 * @param slot the slot
	 * @return the number, from 1 on
	 */
	static int ofSlot(int slot) {
		return slot * Deployment.CLUSTER.servers() / SlotHash.SLOT_COUNT + 1;
	}

	@Override
	boolean serves(String key) {
		return ofSlot(SlotHash.getSlot(key)) == this.number;
	}

	@Override
	Reply run(String from, List<String> words) {
		// A redirection is the client's affair, so a command for another node is a
		// defect.
		if (words.get(0).startsWith("EVAL") && !serves(words.get(3))) {
			throw new RedisError("MOVED %d another node".formatted(SlotHash.getSlot(words.get(3))));
		}
		return super.run(from, words);
	}

	@Override
	void deliver(SimulatedRedis.Message message) {
		if (!message.isForOtherNodes()) {
			super.deliver(message);
			return;
		}
		for (ClusterNode other : this.others) {
			scheduler().at(scheduler().now() + latency(), other.actor(), () -> {
				if (other.isUp()) {
					other.redis().receive(message);
					other.redis().takeMessages().forEach(other::deliver);
				}
			});
		}
	}

}
