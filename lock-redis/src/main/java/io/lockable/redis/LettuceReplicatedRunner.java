package io.lockable.redis;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lettuce.core.RedisNoScriptException;
import io.lockable.LockStoreException;
import io.lockable.redis.ClusterNodes.Node;
import io.lockable.redis.ClusterNodes.Redirection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Runs scripts and waits for replicas over Lettuce: on {@link LettuceLanes} of the
 * server, or of each node of a cluster.
 */
final class LettuceReplicatedRunner implements ReplicatedRunner {

	private static final int LANES = 4;

	/**
	 * Each is a connection of its own to the cluster, besides that to the node.
	 */
	private static final int LANES_PER_NODE = 2;

	private static final Node ONLY = new Node("", 0);

	private final RedisConnectionFactory connectionFactory;

	private final boolean singleServer;

	private final ReplicaQuorum quorum;

	private final Map<Node, LettuceLanes> lanes = new ConcurrentHashMap<>();

	private final AtomicReference<@Nullable ClusterNodes> nodes = new AtomicReference<>();

	private volatile boolean closed;

	LettuceReplicatedRunner(RedisConnectionFactory connectionFactory, boolean singleServer, ReplicaQuorum quorum) {
		this.connectionFactory = connectionFactory;
		this.singleServer = singleServer;
		this.quorum = quorum;
	}

	@Override
	public <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer, Predicate<List<Long>> counts) {
		LettuceCall<T> call = new LettuceCall<>(script, keys, arguments, answer, counts);
		ClusterNodes known = this.nodes.get();
		if (this.singleServer) {
			submit(ONLY, call);
		}
		else if (known != null) {
			route(known, call);
		}
		else {
			LettuceLanes.inBackground("lockable-connect", () -> connect(call));
		}
		return call.result();
	}

	private void connect(LettuceCall<?> call) {
		try {
			ClusterNodes found = new ClusterNodes(this.connectionFactory);
			found.of(call.key());
			this.nodes.set(found);
			route(found, call);
		}
		catch (Throwable ex) {
			call.fail(ex);
		}
	}

	private void route(ClusterNodes known, LettuceCall<?> call) {
		Node node = known.of(call.key());
		if (node != null) {
			submit(node, call);
		}
		else {
			known.refresh();
			call.fail(new LockStoreException("Redis failed: no known node of the cluster serves the slot", null, true));
		}
	}

	private void submit(Node node, LettuceCall<?> call) {
		if (this.closed) {
			call.fail(LettuceLanes.closedStore());
			return;
		}
		this.lanes.computeIfAbsent(node, this::lanesTo).submit(call);
		if (this.closed) {
			// It may have come after close() looked at all nodes.
			close();
		}
	}

	private LettuceLanes lanesTo(Node node) {
		return new LettuceLanes(this.singleServer ? LANES : LANES_PER_NODE, () -> open(node),
				(call, failure) -> failed(node, call, failure), (failure) -> unreachable());
	}

	private LettuceLane open(Node node) {
		ClusterNodes known = this.nodes.get();
		if (known == null) {
			return LettuceLane.open(this.connectionFactory, null, this.quorum);
		}
		known.know(node);
		return LettuceLane.open(this.connectionFactory, node, this.quorum);
	}

	private void unreachable() {
		ClusterNodes known = this.nodes.get();
		if (known != null) {
			known.refresh();
		}
	}

	private void failed(Node node, LettuceCall<?> call, Throwable failure) {
		ClusterNodes known = this.nodes.get();
		Redirection redirection = (known != null) ? ClusterNodes.redirection(failure, node) : null;
		if (failure instanceof RedisNoScriptException && call.repeatWithSource()) {
			submit(node, call);
		}
		else if (known != null && redirection != null && call.repeat(redirection.ask())) {
			if (!redirection.ask()) {
				known.refresh();
			}
			submit(redirection.node(), call);
		}
		else if (failure instanceof LettuceLane.ConnectionLostException && call.repeat(false)) {
			submit(node, call);
		}
		else {
			call.fail(
					(failure instanceof LettuceLane.ConnectionLostException) ? this.quorum.unknown(failure) : failure);
		}
	}

	@Override
	public void close() {
		this.closed = true;
		this.lanes.values().forEach(LettuceLanes::close);
	}

}
