package io.lockable.redis.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.redis.client.ReplicaConnections.Node;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Lettuce's view of the nodes of a cluster. Lettuce reads the topology again when an
 * answer is late or fails.
 *
 * <p>
 * Lettuce itself refreshes after failed reconnections to a lost master. The first refresh
 * comes within milliseconds, before a new master exists; later pauses double up to half a
 * minute. Locks cannot wait that long.
 *
 * <p>
 * Invariant: while an answer is late, refreshes repeat with growing pauses, up to a
 * limit. The server may be slow, or the answer may never arrive.
 */
final class ClusterTopology {

	private static final long REFRESH_INTERVAL = TimeUnit.MILLISECONDS.toNanos(200);

	private static final Duration LATE = Duration.ofMillis(500);

	private static final Duration GIVEN_UP = Duration.ofSeconds(30);

	private final LettuceConnectionFactory connectionFactory;

	private final EngineRuntime runtime;

	private final AtomicLong refreshedAt;

	/**
	 * Creates an instance. Sends no command.
	 * @param connectionFactory a connection factory of a cluster
	 * @param runtime the time of the store
	 */
	ClusterTopology(LettuceConnectionFactory connectionFactory, EngineRuntime runtime) {
		this.connectionFactory = connectionFactory;
		this.runtime = runtime;
		this.refreshedAt = new AtomicLong(runtime.now() - REFRESH_INTERVAL);
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
	 * Returns whether a node serves slots. Does not block after {@link #of}.
	 * @param node the node
	 * @return {@code false} for a replica, or a former node
	 */
	boolean serves(Node node) {
		RedisClusterNode known = client().getPartitions().getPartition(node.host(), node.port());
		return known != null && !known.hasNoSlots();
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
		long now = this.runtime.now();
		if (now - last < REFRESH_INTERVAL || !this.refreshedAt.compareAndSet(last, now)) {
			return;
		}
		try {
			if (this.connectionFactory.getNativeClient() instanceof RedisClusterClient client) {
				client.refreshPartitionsAsync();
			}
		}
		catch (IllegalStateException ex) {
			// The client has stopped.
		}
	}

	/**
	 * Refreshes if an answer is late, or if it fails. During a failover, Lettuce may know
	 * no master for a slot and then fails at once.
	 * @param answer the answer
	 */
	void watch(CompletableFuture<?> answer) {
		watch(answer, LATE);
		answer.whenComplete((answered, failure) -> {
			if (failure != null && !(failure.getCause() instanceof RedisCommandExecutionException)) {
				refresh();
			}
		});
	}

	private void watch(CompletableFuture<?> answer, Duration delay) {
		this.runtime.scheduleUnless(answer, () -> {
			refresh();
			if (delay.compareTo(GIVEN_UP) < 0) {
				watch(answer, delay.multipliedBy(2));
			}
		}, this.runtime.now() + delay.toNanos());
	}

}
