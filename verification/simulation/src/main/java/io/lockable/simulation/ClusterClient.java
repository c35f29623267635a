package io.lockable.simulation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.RedisCommand;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.objenesis.SpringObjenesis;

/**
 * The client of a cluster: a connection to each node, to which it routes commands by
 * their first key. It learns the address of a new master, or that there is none, only
 * when the library lets it read the topology again.
 */
final class ClusterClient extends SimulatedClient {

	private static final long MILLISECOND = 1_000_000;

	private static final List<Partitions> TOPOLOGIES = IntStream.range(0, 1 << Deployment.CLUSTER.servers())
		.mapToObj(ClusterClient::topology)
		.toList();

	private final List<Node> nodes;

	private final Topology topology = new SpringObjenesis().newInstance(Topology.class);

	private int refreshes;

	// Each attempt to subscribe tries another node.
	private int next;

	ClusterClient(Actor actor, List<SimulatedServer> servers) {
		super(actor, servers.get(0), new RedisClusterConfiguration(List.of("node:1", "node:2")));
		this.nodes = servers.stream().map(Node::new).toList();
		this.topology.client = this;
	}

	// Bit n is set if the node n has a master.
	private static Partitions topology(int masters) {
		Partitions topology = new Partitions();
		List<RedisClusterNode> known = new ArrayList<>();
		for (int i = 0; i < Deployment.CLUSTER.servers(); i++) {
			int number = i + 1;
			List<Integer> slots = IntStream.range(0, SlotHash.SLOT_COUNT)
				.filter((slot) -> (masters & (1 << (number - 1))) != 0 && ClusterNode.ofSlot(slot) == number)
				.boxed()
				.toList();
			known.add(new RedisClusterNode(RedisURI.create("node", number), "node" + number, true, null, 0, 0, 0, slots,
					Set.of(RedisClusterNode.NodeFlag.UPSTREAM)));
		}
		topology.reload(known);
		return topology;
	}

	private Partitions partitions() {
		int masters = 0;
		for (int i = 0; i < this.nodes.size(); i++) {
			masters |= this.nodes.get(i).hasMaster ? 1 << i : 0;
		}
		return TOPOLOGIES.get(masters);
	}

	@Override
	public AbstractRedisClient getNativeClient() {
		return this.topology;
	}

	@Override
	@Nullable SimulatedServer reachable() {
		for (int i = 0; i < this.nodes.size(); i++) {
			SimulatedServer found = this.nodes.get(this.next++ % this.nodes.size()).reachable();
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	@Override
	String subscriptionPrefix(SimulatedServer first) {
		return "any-";
	}

	@Override
	@SuppressWarnings("unchecked")
	StatefulConnection<byte[], byte[]> open(Handle handle) {
		List<SimulatedConnection> connections = this.nodes.stream()
			.map((node) -> connect(handle, node.server, node::reachable))
			.toList();
		for (int i = 0; i < connections.size(); i++) {
			this.nodes.get(i).connections.add(connections.get(i));
		}
		return (StatefulConnection<byte[], byte[]>) Proxy.newProxyInstance(
				StatefulRedisClusterConnection.class.getClassLoader(),
				new Class<?>[] { StatefulRedisClusterConnection.class }, new Routing(connections));
	}

	private void refresh() {
		Dice dice = Dice.of(this.nodes.get(0).server.seed(), "topology of " + actor(), ++this.refreshes);
		Scheduler scheduler = this.nodes.get(0).server.scheduler();
		scheduler.at(scheduler.now() + dice.between(MILLISECOND, 20 * MILLISECOND), actor(), () -> {
			// Any node answers.
			if (this.nodes.stream().anyMatch((node) -> node.server.isUp())) {
				this.nodes.forEach((node) -> node.learn(dice));
			}
		});
	}

	/**
	 * What the client knows of a node.
	 */
	private static final class Node {

		private final SimulatedServer server;

		private final List<SimulatedConnection> connections = new ArrayList<>();

		private boolean hasMaster = true;

		private int address;

		Node(SimulatedServer server) {
			this.server = server;
			this.address = server.address();
		}

		@Nullable SimulatedServer reachable() {
			return (this.server.isUp() && this.server.address() == this.address) ? this.server : null;
		}

		/**
		 * Reads the topology. While the master is away, it may have none.
		 * @param dice decides
		 */
		void learn(Dice dice) {
			this.hasMaster = this.server.isUp() || dice.chance(0.5);
			if (this.server.isUp()) {
				this.address = this.server.address();
				this.connections.forEach(Reconnecting::connect);
			}
		}

	}

	/**
	 * A connection as Lettuce shows it.
	 */
	private final class Routing implements InvocationHandler {

		private final List<SimulatedConnection> connections;

		Routing(List<SimulatedConnection> connections) {
			this.connections = connections;
		}

		@Override
		@SuppressWarnings("unchecked")
		public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) {
			Object first = (arguments != null) ? arguments[0] : null;
			switch (method.getName()) {
				case "dispatch" -> {
					if (first instanceof Collection<?> commands) {
						commands.forEach((command) -> route((RedisCommand<byte[], byte[], ?>) command));
					}
					else if (first != null) {
						route((RedisCommand<byte[], byte[], ?>) first);
					}
					return first;
				}
				case "getPartitions" -> {
					return partitions();
				}
				case "isOpen" -> {
					return true;
				}
				case "equals" -> {
					return proxy == first;
				}
				case "hashCode" -> {
					return 0;
				}
				case "toString" -> {
					return "ClusterConnection";
				}
				default -> throw new UnsupportedOperationException(method.toString());
			}
		}

		private void route(RedisCommand<byte[], byte[], ?> command) {
			int slot = SlotHash.getSlot(command.getArgs().getFirstEncodedKey());
			int number = ClusterNode.ofSlot(slot);
			if (ClusterClient.this.nodes.get(number - 1).hasMaster) {
				this.connections.get(number - 1).dispatch(command);
			}
			else {
				command.completeExceptionally(new PartitionSelectorException(
						"Cannot determine a partition for slot " + slot + '.', partitions()));
			}
		}

	}

	/**
	 * The client as the library asks it to read the topology. Its constructor would start
	 * threads, and is not called.
	 */
	static class Topology extends RedisClusterClient {

		private @Nullable ClusterClient client;

		@Override
		public CompletionStage<Void> refreshPartitionsAsync() {
			if (this.client != null) {
				this.client.refresh();
			}
			return CompletableFuture.completedFuture(null);
		}

	}

}
