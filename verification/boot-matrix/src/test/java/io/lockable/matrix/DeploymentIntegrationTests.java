package io.lockable.matrix;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.lockable.Lease;
import io.lockable.LockStoreException;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the client-specific code, on each client.
 */
@With({ Part.LETTUCE, Part.JEDIS })
class DeploymentIntegrationTests {

	@ParameterizedTest
	@EnumSource
	void locksOnOneServer(Client client) throws InterruptedException {
		try (Instance instance = Instance.onRedis(PlainApplication.class, client.property())) {
			locks(instance, "standalone");
		}
	}

	@ParameterizedTest
	@EnumSource
	void waitsForAReplica(Client client) throws InterruptedException {
		try (RedisTestServer master = RedisServers.start("repl-diskless-sync-delay 0");
				RedisTestServer replica = RedisServers.start("replicaof " + master.host() + " " + master.port());
				Instance instance = Instance.start(PlainApplication.class, client.property(),
						"spring.data.redis.host=" + master.host(), "spring.data.redis.port=" + master.port(),
						"distributed-lock.redis.replicas=one", "distributed-lock.redis.replica-count=1",
						"distributed-lock.wait-time=20s")) {
			locks(instance, "replicated");
			replica.kill();
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(instance.locks().get("replicated")::tryAcquire);
		}
	}

	@ParameterizedTest
	@EnumSource
	void locksOnSeveralMasters(Client client) throws InterruptedException {
		List<RedisTestServer> masters = List.of(RedisServers.start(), RedisServers.start(), RedisServers.start());
		String nodes = masters.stream().map(DeploymentIntegrationTests::address).collect(Collectors.joining(","));
		try (Instance instance = Instance.onRedis(PlainApplication.class, client.property(),
				"distributed-lock.redis.redlock.nodes=" + nodes, "distributed-lock.redis.redlock.timeout=2s",
				"distributed-lock.wait-time=20s")) {
			locks(instance, "redlock");
			// A majority has freed the lock, and the last master may still be about to
			masters.get(0).kill();
			locks(instance, "redlock");
		}
		finally {
			masters.forEach(RedisTestServer::close);
		}
	}

	@Test
	void locksOnAClusterWithReplicas() throws InterruptedException {
		try (RedisTestCluster cluster = RedisServers.startCluster(3, 1)) {
			String nodes = cluster.servers()
				.stream()
				.map(DeploymentIntegrationTests::address)
				.collect(Collectors.joining(","));
			for (Client client : Client.values()) {
				try (Instance instance = Instance.start(PlainApplication.class, client.property(),
						"spring.data.redis.cluster.nodes=" + nodes, "distributed-lock.redis.replicas=one",
						"distributed-lock.wait-time=20s")) {
					for (int i = 0; i < 6; i++) {
						locks(instance, "cluster-" + i);
					}
				}
			}
		}
	}

	private static void locks(Instance instance, String key) throws InterruptedException {
		try (Lease lease = instance.locks().get(key).acquire()) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(lease.release()).isTrue();
		}
	}

	private static String address(RedisTestServer server) {
		return server.host() + ":" + server.port();
	}

	/**
	 * The clients, which a property of Spring Boot selects.
	 */
	enum Client {

		LETTUCE, JEDIS;

		String property() {
			return "spring.data.redis.client-type=" + name().toLowerCase(Locale.ROOT);
		}

	}

}
