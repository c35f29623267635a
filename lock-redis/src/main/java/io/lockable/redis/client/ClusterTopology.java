package io.lockable.redis.client;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lockable.redis.client.ReplicaConnections.Node;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Lettuce's view of the nodes of a cluster.
 */
final class ClusterTopology {

	private final LettuceConnectionFactory connectionFactory;

	private final long refreshInterval;

	private final AtomicLong refreshedAt;

	/**
	 * Creates an instance. Sends no command.
	 * @param connectionFactory a connection factory of a cluster
	 * @param refreshInterval the shortest time between two refreshes
	 */
	ClusterTopology(LettuceConnectionFactory connectionFactory, Duration refreshInterval) {
		this.connectionFactory = connectionFactory;
		this.refreshInterval = refreshInterval.toNanos();
		this.refreshedAt = new AtomicLong(System.nanoTime() - this.refreshInterval);
	}

	/**
	 * Returns the node that serves the slot of a key. The first call blocks.
	 * @param key the key
	 * @return the node, or {@code null} if none is known
	 */
	@Nullable Node of(byte[] key) {
		RedisClusterNode node = client().getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
		return (node != null) ? new Node(node.getUri().getHost(), node.getUri().getPort()) : null;
	}

	/**
	 * Adds a node to the topology if it is new. Blocks in that case.
	 * @param node the node
	 */
	void know(Node node) {
		RedisClusterClient client = client();
		if (client.getPartitions().getPartition(node.host(), node.port()) == null) {
			client.refreshPartitions();
		}
	}

	private RedisClusterClient client() {
		return (RedisClusterClient) this.connectionFactory.getRequiredNativeClient();
	}

	/**
	 * Reads the topology again in the background, at most once per refresh interval, and
	 * not after the client has stopped.
	 */
	void refresh() {
		long last = this.refreshedAt.get();
		long now = System.nanoTime();
		if (now - last >= this.refreshInterval && this.refreshedAt.compareAndSet(last, now)
				&& this.connectionFactory.getNativeClient() instanceof RedisClusterClient client) {
			client.refreshPartitionsAsync();
		}
	}

}
