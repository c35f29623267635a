package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.test.redis.ProcessFaults;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The liveness of waiters, and the cost of dead ones, on every topology.
 */
@Tag("extended")
@Tag("servers")
@ParameterizedClass
@EnumSource
@Timeout(120)
class WaiterLivenessIntegrationTests {

	private static final Duration MARGIN = Duration.ofSeconds(3);

	private static final LockOptions PATIENT = Instance.waiting(Duration.ofSeconds(50))
		.withLease(Duration.ofSeconds(60));

	@AutoClose
	private static final RedisTestServer server = RedisServers.start();

	@AutoClose
	private static final RedisTestCluster cluster = RedisServers.startCluster(3, 0);

	private final String key = Instance.newKey();

	private final Topology topology;

	private final Instance one;

	private final Instance two;

	private final Crew crew = new Crew();

	WaiterLivenessIntegrationTests(Topology topology) {
		this.topology = topology;
		this.one = instance();
		this.two = instance();
	}

	@AfterEach
	void close() {
		this.crew.close();
		this.one.close();
		this.two.close();
	}

	@Test
	void allWaitersOfAFrozenInstanceCostOneWaiterTimeout() throws Exception {
		Lease lease = this.one.get(this.key, PATIENT).acquire();
		String[] arguments = Stream.concat(Stream.of(this.key, "30000", "6"), this.topology.servers().stream())
			.toArray(String[]::new);
		try (ChildJvm child = ChildJvm.start(FairWaiters.class, arguments);
				ProcessFaults faults = new ProcessFaults()) {
			child.awaitReport(Duration.ofSeconds(40));
			Instance.awaitWaiters(master(), this.key, 6);
			Future<Lease> alive = this.crew.start(this.two.get(this.key, PATIENT.withFair(true))::acquire);
			Instance.awaitWaiters(master(), this.key, 7);
			faults.freeze(child.process());
			long before = System.nanoTime();
			assertThat(lease.release()).isTrue();
			assertThat(alive.get(40, TimeUnit.SECONDS).isHeld()).isTrue();
			assertThat(Duration.ofNanos(System.nanoTime() - before))
				.isLessThan(RedisLockStore.DEFAULT_WAITER_TIMEOUT.plus(MARGIN));
		}
	}

	@Test
	void waiterThatWasPassedOverThoughAliveQueuesAgain() throws Exception {
		Lease lease = this.one.get(this.key, PATIENT).acquire();
		Future<Lease> slow = this.crew.start(this.two.get(this.key, PATIENT)::acquire);
		Instance.awaitWaiters(master(), this.key, 1);
		StoreContractIntegrationTests.silence(this.one.template(), this.key, waiters());
		assertThat(lease.release()).isTrue();
		assertThat(slow.get(20, TimeUnit.SECONDS).isHeld()).isTrue();
	}

	@Test
	void silentWaiterThatIsSubscribedIsPassedOver() throws Exception {
		try (RedisLockStore store = new RedisLockStore(this.one.template())) {
			RecordedGrants inbox = new RecordedGrants();
			Duration minute = Duration.ofMinutes(1);
			assertThat(store.subscribe(inbox)).succeedsWithin(MARGIN);
			assertThat(store.acquire(this.key, "holder", minute)).succeedsWithin(MARGIN).isInstanceOf(Granted.class);
			assertThat(store.enqueue(this.key, "silent", minute, true)).succeedsWithin(MARGIN)
				.isInstanceOf(Refused.class);
			assertThat(store.enqueue(this.key, "alive", minute, true)).succeedsWithin(MARGIN)
				.isInstanceOf(Refused.class);
			StoreContractIntegrationTests.silence(this.one.template(), this.key, "silent");
			assertThat(store.release(this.key, "holder")).succeedsWithin(MARGIN).isEqualTo(true);
			assertThat(master().call("GET", this.key)).isEqualTo("alive");
			await().untilAsserted(() -> assertThat(inbox.all()).singleElement().satisfies((grant) -> {
				assertThat(grant.owner()).isEqualTo("alive");
				assertThat(grant.lease()).isEqualTo(RedisLockStore.DEFAULT_WAITER_TIMEOUT);
			}));
			assertThat(remaining()).isBetween(1L, RedisLockStore.DEFAULT_WAITER_TIMEOUT.toMillis());
		}
	}

	@Test
	void holderGrantedByAMessageHasItsFullLease() throws Exception {
		for (Renewal renewal : List.of(Renewal.ON, Renewal.OFF)) {
			DistributedLock lock = this.two.get(this.key, PATIENT.withRenewal(renewal));
			Lease lease = this.one.get(this.key, PATIENT).acquire();
			Future<Lease> next = this.crew.start(lock::acquire);
			Instance.awaitWaiters(master(), this.key, 1);
			assertThat(lease.release()).isTrue();
			Lease granted = next.get(10, TimeUnit.SECONDS);
			await().atMost(MARGIN).untilAsserted(() -> {
				assertThat(remaining()).isGreaterThan(50_000);
				assertThat(granted.remaining()).isGreaterThan(Duration.ofSeconds(50));
			});
			assertThat(granted.release()).isTrue();
		}
	}

	private Instance instance() {
		return Instance.on(RedisClients.LETTUCE.connect(this.topology.configuration()),
				(builder) -> builder.shutdownTimeout(Duration.ofMillis(100)));
	}

	private RedisTestServer master() {
		return (this.topology == Topology.CLUSTER) ? cluster.masterOf(this.key) : server;
	}

	private long remaining() {
		return Long.parseLong(master().call("PTTL", this.key));
	}

	private String waiters() {
		return master().call("LINDEX", "{" + this.key + "}:queue", "0");
	}

	enum Topology {

		SINGLE, CLUSTER;

		RedisConfiguration configuration() {
			return (this == CLUSTER) ? RedisDeployment.configuration(cluster)
					: new RedisStandaloneConfiguration(server.host(), server.port());
		}

		List<String> servers() {
			List<RedisTestServer> servers = (this == CLUSTER) ? cluster.servers() : List.of(server);
			return servers.stream().map((each) -> each.host() + ':' + each.port()).toList();
		}

	}

}
