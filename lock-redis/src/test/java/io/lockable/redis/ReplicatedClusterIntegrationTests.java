package io.lockable.redis;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.LockEngine;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks on a cluster that count only after the replica of their master has acknowledged
 * them.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class ReplicatedClusterIntegrationTests {

	private static final LockOptions PATIENT = LockOptions.defaults()
		.withLease(Duration.ofSeconds(60))
		.withWaitTime(Duration.ofSeconds(20));

	@AutoClose
	private static final RedisTestCluster cluster = RedisServers.startCluster(3, 1);

	private final String key = Instance.newKey();

	private final Crew crew = new Crew();

	private final StringRedisTemplate template;

	private final LockEngine one;

	private final LockEngine two;

	ReplicatedClusterIntegrationTests(RedisClients client) {
		this.template = client.connect(RedisDeployment.configuration(cluster));
		this.one = engine();
		this.two = engine();
	}

	private LockEngine engine() {
		return LockEngine.builder(new RedisLockStore(this.template, Acknowledgements.of(Replicas.ALL)))
			.shutdownTimeout(Duration.ofMillis(100))
			.build();
	}

	@AfterEach
	void close() {
		cluster.servers().forEach(RedisTestServer::resume);
		this.crew.close();
		this.one.close();
		this.two.close();
		RedisClients.disconnect(this.template);
	}

	@Test
	void locksOfAllSlotsAreHandedOnAndExtended() throws Exception {
		for (int i = 0; i < 12; i++) {
			Lease lease = this.one.get(this.key + i, PATIENT).acquire();
			Future<Lease> next = this.crew.start(this.two.get(this.key + i, PATIENT)::acquire);
			assertThat(lease.extend(Duration.ofSeconds(90))).isTrue();
			assertThat(lease.release()).isTrue();
			assertThat(next.get(20, TimeUnit.SECONDS).release()).isTrue();
		}
	}

	@Test
	void locksOfASlotThatIsMovedAreGranted() throws Exception {
		this.one.get(this.key, PATIENT).acquire().close();
		RedisTestServer source = cluster.masterOf(this.key);
		RedisTestServer target = cluster.servers()
			.stream()
			.limit(3)
			.filter((server) -> server.port() != source.port())
			.findFirst()
			.orElseThrow();
		String tag = "{" + this.key + "}";
		Lease held = this.one.get(this.key, PATIENT).acquire();
		AtomicReference<Future<Lease>> asked = new AtomicReference<>();
		// The new keys of a script are on neither server meanwhile, so the acquisition is
		// retried.
		cluster.moveSlot(this.key, target,
				() -> asked.set(this.crew.start(this.two.get(tag + "new", PATIENT)::acquire)));
		assertThat(asked.get().get(20, TimeUnit.SECONDS).release()).isTrue();
		assertThat(held.extend(Duration.ofSeconds(90))).isTrue();
		assertThat(held.release()).isTrue();
		for (int i = 0; i < 3; i++) {
			this.two.get(this.key, PATIENT).acquire().close();
		}
		assertThat(target.call("GET", this.key)).isEqualTo("(nil)");
	}

	@Test
	void lockWhoseReplicaDoesNotAcknowledgeFailsAndIsGivenBack() throws Exception {
		this.one.get(this.key, PATIENT).acquire().close();
		RedisTestServer master = cluster.masterOf(this.key);
		cluster.servers()
			.stream()
			.filter((server) -> server.call("INFO", "replication").contains("master_port:" + master.port() + "\r"))
			.forEach(RedisTestServer::pause);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.one.get(this.key)::tryAcquire)
			.withMessageContaining("0 of 1 replicas acknowledged within 500ms, but 1 must acknowledge");
		await().atMost(Duration.ofSeconds(5)).until(() -> master.call("EXISTS", this.key).equals("0"));
	}

}
