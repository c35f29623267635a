package io.lockable.test.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

/**
 * A dedicated Redis cluster for a test. If a master does not answer for a second, one of
 * its replicas replaces it.
 *
 * <p>
 * Thread-safe.
 *
 * @since 0.1.0
 * @see RedisServers#startCluster
 */
public final class RedisTestCluster implements AutoCloseable {

	private static final int SLOTS = 16384;

	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	private static final List<String> SETTINGS = List.of("save \"\"", "cluster-enabled yes",
			"cluster-node-timeout 1000", "cluster-replica-validity-factor 0", "repl-diskless-sync-delay 0");

	private final List<RedisTestServer> servers = new ArrayList<>();

	private RedisTestCluster() {
	}

	static RedisTestCluster start(Path executable, int masters, int replicas) {
		RedisTestCluster cluster = new RedisTestCluster();
		try {
			for (int i = 0; i < masters * (1 + replicas); i++) {
				cluster.servers.add(ProcessRedisServer.start(executable, SETTINGS));
			}
			cluster.form(masters);
			return cluster;
		}
		catch (RuntimeException ex) {
			cluster.close();
			throw new IllegalStateException("The Redis cluster did not form", ex);
		}
	}

	private void form(int masters) {
		RedisTestServer first = this.servers.get(0);
		for (int i = 0; i < this.servers.size(); i++) {
			RedisTestServer server = this.servers.get(i);
			server.call("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
			if (i < masters) {
				server.call(addSlots(SLOTS * i / masters, SLOTS * (i + 1) / masters));
			}
			if (i > 0) {
				server.call("CLUSTER", "MEET", first.host(), Integer.toString(first.port()));
			}
		}
		await(() -> this.servers.stream().allMatch((server) -> nodes(server).count() == this.servers.size()));
		for (int i = masters; i < this.servers.size(); i++) {
			String master = this.servers.get(i % masters).call("CLUSTER", "MYID");
			this.servers.get(i).call("CLUSTER", "REPLICATE", master);
		}
		await(() -> isWhole(masters));
	}

	private static String[] addSlots(int from, int to) {
		return Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), IntStream.range(from, to).mapToObj(Integer::toString))
			.toArray(String[]::new);
	}

	private boolean isWhole(int masters) {
		return this.servers.stream().allMatch((server) -> {
			String replication = server.call("INFO", "replication");
			return server.call("CLUSTER", "INFO").contains("cluster_state:ok")
					&& nodes(server).filter(RedisTestCluster::isMaster).count() == masters
					&& (replication.contains("role:master") || replication.contains("master_link_status:up"));
		});
	}

	/**
	 * Returns all servers, the first masters first.
	 * @return the servers, including killed ones
	 */
	public List<RedisTestServer> servers() {
		return List.copyOf(this.servers);
	}

	/**
	 * Returns the server that owns the slot of a key, as the others currently see it.
	 * @param key the key
	 * @return the master
	 * @throws IllegalStateException if no server is known to own the slot
	 */
	public RedisTestServer masterOf(String key) {
		RedisTestServer any = this.servers.stream()
			.filter(RedisTestCluster::answers)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No server of the cluster answers"));
		int slot = Integer.parseInt(any.call("CLUSTER", "KEYSLOT", key));
		int port = nodes(any).filter((node) -> isMaster(node) && owns(node, slot))
			.map(RedisTestCluster::port)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No server owns slot " + slot));
		return this.servers.stream().filter((server) -> server.port() == port).findFirst().orElseThrow();
	}

	/**
	 * Moves the slot of a key with its keys to another master, step by step as
	 * {@code redis-cli} does.
	 * @param key a key in the slot
	 * @param target the new master of the slot
	 * @param halfway run during the move: existing keys are still at the source, and
	 * missing keys are redirected to the target
	 */
	public void moveSlot(String key, RedisTestServer target, Runnable halfway) {
		RedisTestServer source = masterOf(key);
		String slot = source.call("CLUSTER", "KEYSLOT", key);
		String sourceId = source.call("CLUSTER", "MYID");
		String targetId = target.call("CLUSTER", "MYID");
		target.call("CLUSTER", "SETSLOT", slot, "IMPORTING", sourceId);
		source.call("CLUSTER", "SETSLOT", slot, "MIGRATING", targetId);
		halfway.run();
		for (String keys = keysIn(source, slot); !keys.isEmpty(); keys = keysIn(source, slot)) {
			for (String each : keys.lines().toList()) {
				source.call("MIGRATE", target.host(), Integer.toString(target.port()), each, "0", "5000");
			}
		}
		target.call("CLUSTER", "SETSLOT", slot, "NODE", targetId);
		source.call("CLUSTER", "SETSLOT", slot, "NODE", targetId);
	}

	private static String keysIn(RedisTestServer server, String slot) {
		return server.call("CLUSTER", "GETKEYSINSLOT", slot, "100");
	}

	/**
	 * Waits until another server has replaced a master, and all running servers agree.
	 * @param former the previous master
	 * @throws org.awaitility.core.ConditionTimeoutException after a minute
	 */
	public void awaitFailover(RedisTestServer former) {
		await(() -> this.servers.stream()
			.filter(RedisTestCluster::answers)
			.allMatch((server) -> nodes(server).filter(RedisTestCluster::isMaster)
				.noneMatch((node) -> port(node) == former.port())
					&& server.call("CLUSTER", "INFO").contains("cluster_state:ok")));
	}

	static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(TIMEOUT).pollInterval(Duration.ofMillis(20)).ignoreExceptions().until(condition);
	}

	private static boolean answers(RedisTestServer server) {
		return RespConnection.answers(server, 500);
	}

	private static Stream<String> nodes(RedisTestServer server) {
		return server.call("CLUSTER", "NODES").lines().filter((line) -> !line.contains("handshake"));
	}

	private static boolean isMaster(String node) {
		List<String> flags = List.of(node.split(" ", -1)[2].split(",", -1));
		return flags.contains("master") && !flags.contains("fail");
	}

	// id ip:port@bus[,host] flags master ping pong epoch state slot slot ...
	private static int port(String node) {
		String address = node.split(" ", -1)[1];
		return Integer.parseInt(address.substring(address.indexOf(':') + 1, address.indexOf('@')));
	}

	private static boolean owns(String node, int slot) {
		return Stream.of(node.split(" ", -1)).skip(8).filter((range) -> !range.startsWith("[")).anyMatch((range) -> {
			String[] ends = range.split("-", -1);
			return slot >= Integer.parseInt(ends[0]) && slot <= Integer.parseInt(ends[ends.length - 1]);
		});
	}

	/**
	 * Stops all servers and deletes their data. Idempotent.
	 */
	@Override
	public void close() {
		this.servers.forEach(RedisTestServer::close);
	}

}
