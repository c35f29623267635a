package io.lockable.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestSentinel;
import io.lockable.test.redis.RedisTestServer;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.function.SingletonSupplier;

/**
 * The deployments of Redis and clients, shared by all tests of this JVM. Each starts on
 * first use and ends with the JVM.
 */
enum RedisDeployment {

	STANDALONE_LETTUCE(RedisClients.LETTUCE, Topology.STANDALONE),

	STANDALONE_JEDIS(RedisClients.JEDIS, Topology.STANDALONE),

	SENTINEL_LETTUCE(RedisClients.LETTUCE, Topology.SENTINEL),

	SENTINEL_JEDIS(RedisClients.JEDIS, Topology.SENTINEL),

	CLUSTER_LETTUCE(RedisClients.LETTUCE, Topology.CLUSTER),

	CLUSTER_JEDIS(RedisClients.JEDIS, Topology.CLUSTER),

	REPLICATED_SENTINEL_LETTUCE(RedisClients.LETTUCE, Topology.SENTINEL, Replicas.ONE),

	REPLICATED_SENTINEL_JEDIS(RedisClients.JEDIS, Topology.SENTINEL, Replicas.ONE);

	private static final Map<RedisDeployment, StringRedisTemplate> TEMPLATES = new ConcurrentHashMap<>();

	private final RedisClients client;

	private final Topology topology;

	private final Replicas replicas;

	RedisDeployment(RedisClients client, Topology topology) {
		this(client, topology, Replicas.NONE);
	}

	RedisDeployment(RedisClients client, Topology topology, Replicas replicas) {
		this.client = client;
		this.topology = topology;
		this.replicas = replicas;
	}

	/**
	 * Returns the deployments on which the contracts run: {@code one} server over
	 * Lettuce, the {@code others}, a {@code standalone} server over both clients, or
	 * {@code all}.
	 * @return the deployments
	 */
	static Stream<RedisDeployment> tested() {
		String tested = System.getProperty("lockable.test.deployments", "all");
		return Stream.of(values()).filter((deployment) -> switch (tested) {
			case "one" -> deployment == STANDALONE_LETTUCE;
			case "others" -> deployment != STANDALONE_LETTUCE;
			case "standalone" -> deployment.topology == Topology.STANDALONE;
			case "all" -> true;
			default -> throw new IllegalArgumentException("lockable.test.deployments=" + tested);
		});
	}

	RedisLockStore store() {
		return new RedisLockStore(template(), Acknowledgements.of(this.replicas).withTimeout(Duration.ofMillis(900)));
	}

	StringRedisTemplate template() {
		return TEMPLATES.computeIfAbsent(this, (deployment) -> this.client.connect(servers()));
	}

	boolean isCluster() {
		return this.topology == Topology.CLUSTER;
	}

	private RedisConfiguration servers() {
		return switch (this.topology) {
			case STANDALONE -> {
				RedisTestServer server = RedisServers.shared();
				yield new RedisStandaloneConfiguration(server.host(), server.port());
			}
			case SENTINEL -> configuration(Servers.SENTINEL.get());
			case CLUSTER -> configuration(Servers.CLUSTER.get());
		};
	}

	static RedisSentinelConfiguration configuration(RedisTestSentinel servers) {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(servers.masterName());
		servers.sentinels().forEach((sentinel) -> configuration.sentinel(sentinel.host(), sentinel.port()));
		return configuration;
	}

	static RedisClusterConfiguration configuration(RedisTestCluster servers) {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration();
		servers.servers().forEach((server) -> configuration.clusterNode(server.host(), server.port()));
		return configuration;
	}

	private enum Topology {

		STANDALONE, SENTINEL, CLUSTER

	}

	private static final class Servers {

		static final Supplier<RedisTestSentinel> SENTINEL = SingletonSupplier.of(() -> RedisServers.startSentinel(1));

		static final Supplier<RedisTestCluster> CLUSTER = SingletonSupplier.of(() -> RedisServers.startCluster(3, 1));

	}

}
