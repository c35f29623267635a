package io.lockable.redis.lettuce;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lockable.redis.replication.ReplicaConnections.Node;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * What Lettuce knows of the nodes of a cluster. Its own routing cannot be used where two
 * commands must go over the same connection.
 */
final class ClusterNodes {

	private static final long REFRESH_EVERY = Duration.ofMillis(200).toNanos();

	private final RedisClusterClient client;

	private final AtomicLong refreshedAt = new AtomicLong(System.nanoTime() - REFRESH_EVERY);

	ClusterNodes(RedisConnectionFactory connectionFactory) {
		this.client = (RedisClusterClient) ((LettuceConnectionFactory) connectionFactory).getRequiredNativeClient();
	}

	/**
	 * Returns the node that has the slot of a key. Blocks when called for the first time.
	 * @param key the key
	 * @return the node, {@code null} if none is known
	 */
	@Nullable Node of(byte[] key) {
		RedisClusterNode node = this.client.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
		return (node != null) ? new Node(node.getUri().getHost(), node.getUri().getPort()) : null;
	}

	/**
	 * Learns the nodes of the cluster anew, in the background, unless that was done a
	 * moment ago.
	 */
	void refresh() {
		long last = this.refreshedAt.get();
		long now = System.nanoTime();
		if (now - last >= REFRESH_EVERY && this.refreshedAt.compareAndSet(last, now)) {
			this.client.refreshPartitionsAsync();
		}
	}

	/**
	 * Makes sure that Lettuce accepts a node. Blocks if it is new.
	 * @param node the node
	 */
	void know(Node node) {
		if (this.client.getPartitions().getPartition(node.host(), node.port()) == null) {
			this.client.refreshPartitions();
		}
	}

}
