package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestSentinel;
import io.lockable.test.redis.RedisTestServer;
import org.awaitility.Awaitility;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A master with two replicas that a test breaks and restores.
 */
final class ReplicatedServers implements AutoCloseable {

	static final int REPLICAS = 2;

	private final RedisTestSentinel sentinel = RedisServers.startSentinel(REPLICAS);

	ReplicatedServers() {
		// By default, failovers must be six seconds apart.
		this.sentinel.sentinels()
			.forEach((each) -> each.call("SENTINEL", "SET", this.sentinel.masterName(), "failover-timeout", "1000"));
	}

	StringRedisTemplate connect(RedisClients client) {
		return client.connect(RedisDeployment.configuration(this.sentinel));
	}

	RedisTestServer master() {
		return this.sentinel.master();
	}

	List<RedisTestServer> replicas() {
		RedisTestServer master = master();
		return this.sentinel.servers().stream().filter((server) -> server.port() != master.port()).toList();
	}

	/**
	 * Stops the replicas. The writes of the master then wait in the buffers of the
	 * connections.
	 */
	void pauseReplicas() {
		replicas().forEach(RedisTestServer::pause);
	}

	/**
	 * Stops the replicas and closes their connections. Later writes of the master never
	 * reach them.
	 */
	void cutOffReplicas() {
		pauseReplicas();
		master().call("CLIENT", "KILL", "TYPE", "replica");
	}

	RedisTestServer awaitFailover(RedisTestServer former) {
		return this.sentinel.awaitFailover(former);
	}

	/**
	 * Restarts a server, as a replica of the current master.
	 */
	void restart(RedisTestServer server) {
		server.restart();
		this.sentinel.awaitReplicas();
	}

	void resume() {
		this.sentinel.servers().forEach(RedisTestServer::resume);
		this.sentinel.awaitReplicas();
	}

	/**
	 * Waits until the sentinels consider each replica eligible for promotion.
	 */
	void awaitElectable() {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.pollInterval(Duration.ofMillis(20))
			.ignoreExceptions()
			.untilAsserted(() -> {
				// The sentinels may not have agreed on the master yet.
				String status = "status=ok,address=" + master().host() + ":" + master().port() + ",slaves=" + REPLICAS;
				for (RedisTestServer each : this.sentinel.sentinels()) {
					assertThat(each.call("INFO", "sentinel")).contains(status);
					assertThat(flags(each.call("SENTINEL", "REPLICAS", this.sentinel.masterName()))).contains("slave");
				}
			});
	}

	/**
	 * Reads the flags of each replica; a healthy one is only a "slave".
	 */
	private static List<String> flags(String replicas) {
		List<String> words = replicas.lines().toList();
		return IntStream.range(1, words.size())
			.filter((i) -> words.get(i - 1).equals("flags"))
			.mapToObj(words::get)
			.toList();
	}

	@Override
	public void close() {
		this.sentinel.close();
	}

}
