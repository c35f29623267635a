package io.lockable.test.redis;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A dedicated Redis master for a test with its replicas, and three sentinels that watch
 * them.
 *
 * <p>
 * Thread-safe.
 *
 * @since 0.1.0
 * @see RedisServers#startSentinel
 */
public final class RedisTestSentinel implements AutoCloseable {

	private static final int SENTINELS = 3;

	/**
	 * The milliseconds without an answer after which a master is down. A sentinel
	 * connects to a server at most once a second, and may have to do so again after it
	 * has made the server a master: with a second or less, it then fails over once more.
	 */
	private static final int DOWN_AFTER = 1500;

	private final List<RedisTestServer> servers = new ArrayList<>();

	private final List<RedisTestServer> sentinels = new ArrayList<>();

	private RedisTestSentinel() {
	}

	static RedisTestSentinel start(Path executable, int replicas) {
		RedisTestSentinel sentinel = new RedisTestSentinel();
		try {
			sentinel.form(executable, replicas);
			return sentinel;
		}
		catch (RuntimeException ex) {
			sentinel.close();
			throw new IllegalStateException("The sentinels did not find the servers", ex);
		}
	}

	private void form(Path executable, int replicas) {
		List<String> settings = new ArrayList<>(List.of("save \"\"", "repl-diskless-sync-delay 0"));
		RedisTestServer master = ProcessRedisServer.start(executable, settings);
		this.servers.add(master);
		settings.add("replicaof " + master.host() + " " + master.port());
		for (int i = 0; i < replicas; i++) {
			this.servers.add(ProcessRedisServer.start(executable, settings));
		}
		List<String> watch = List.of(
				"sentinel monitor %s %s %d 2".formatted(masterName(), master.host(), master.port()),
				"sentinel down-after-milliseconds %s %d".formatted(masterName(), DOWN_AFTER),
				"sentinel failover-timeout %s 3000".formatted(masterName()));
		for (int i = 0; i < SENTINELS; i++) {
			this.sentinels.add(ProcessRedisServer.start(executable, watch, "--sentinel"));
		}
		awaitReplicas();
		RedisTestCluster.await(() -> this.sentinels.stream().allMatch((sentinel) -> {
			String state = sentinel.call("INFO", "sentinel");
			return state.contains("status=ok") && state.contains("slaves=" + replicas + ",sentinels=" + SENTINELS);
		}));
	}

	/**
	 * Returns the name of the master in the sentinels.
	 * @return the name
	 */
	public String masterName() {
		return "lockable";
	}

	/**
	 * Returns the sentinels.
	 * @return the sentinels
	 */
	public List<RedisTestServer> sentinels() {
		return List.copyOf(this.sentinels);
	}

	/**
	 * Returns the servers, the first master first.
	 * @return the servers, including killed ones
	 */
	public List<RedisTestServer> servers() {
		return List.copyOf(this.servers);
	}

	/**
	 * Returns the master, as the sentinels currently see it.
	 * @return the server
	 */
	public RedisTestServer master() {
		String[] address = this.sentinels.get(0)
			.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", masterName())
			.split("\n", -1);
		int port = Integer.parseInt(address[1]);
		return this.servers.stream().filter((server) -> server.port() == port).findFirst().orElseThrow();
	}

	/**
	 * Waits until the sentinels have replaced a master by another server.
	 * @param former the previous master
	 * @return the new master
	 * @throws org.awaitility.core.ConditionTimeoutException after a minute
	 */
	public RedisTestServer awaitFailover(RedisTestServer former) {
		RedisTestCluster.await(() -> this.sentinels.stream()
			.noneMatch((sentinel) -> sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", masterName())
				.endsWith("\n" + former.port())));
		RedisTestServer master = master();
		RedisTestCluster.await(() -> master.call("ROLE").startsWith("master"));
		return master;
	}

	/**
	 * Waits until all other servers are replicas of the current master, and
	 * {@linkplain #restoreReplicas makes} them so.
	 * @throws org.awaitility.core.ConditionTimeoutException after a minute
	 */
	public void awaitReplicas() {
		RedisTestCluster.await(this::restoreReplicas);
	}

	/**
	 * Makes the first server that is no replica of the current master one. The sentinels
	 * alone take ten seconds and more for that, or half a minute if the machine has
	 * paused.
	 * @return whether all were replicas before, and have their data from the master
	 */
	public boolean restoreReplicas() {
		RedisTestServer master = master();
		String upToDate = "master_port:" + master.port() + "\r\nmaster_link_status:up";
		for (RedisTestServer server : this.servers) {
			if (server != master && !server.call("INFO", "replication").contains(upToDate)) {
				server.call("REPLICAOF", master.host(), Integer.toString(master.port()));
				return false;
			}
		}
		int online = master.call("INFO", "replication").split("state=online", -1).length - 1;
		return online == this.servers.size() - 1;
	}

	/**
	 * Stops all servers and deletes their data. Idempotent.
	 */
	@Override
	public void close() {
		this.sentinels.forEach(RedisTestServer::close);
		this.servers.forEach(RedisTestServer::close);
	}

}
