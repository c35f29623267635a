package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.redis.RedlockServers.RedlockInstance;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.LockStore.LeaseRequest;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A script over several locks isolates each lock from an error of another one, and from a
 * server that refuses the script as a whole.
 */
@Tag("extended")
@Tag("servers")
@ParameterizedClass
@EnumSource
@Timeout(60)
class SeveralLocksIntegrationTests {

	private static final Duration LEASE = Duration.ofMillis(4500);

	private static final LockOptions RENEWED = LockOptions.defaults().withLease(LEASE);

	private final RedisClients client;

	private final List<AutoCloseable> opened = new ArrayList<>();

	SeveralLocksIntegrationTests(RedisClients client) {
		this.client = client;
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@Test
	void leasesOfServerThatRefusesSeveralSlotsAreRenewed() throws Exception {
		RedisTestServer server = shard();
		Instance instance = open(Instance.start(this.client, server));
		List<Lease> leases = acquireAll(instance, 3);
		outlive(leases);
		String refusals = refusals(server);
		assertThat(refusals).contains("CROSSSLOT");
		outlive(leases);
		assertThat(refusals(server)).as("no refused script is tried again").isEqualTo(refusals);
	}

	@Test
	void locksOfServerThatRefusesSeveralSlotsAreAcquiredTogether() throws Exception {
		RedisTestServer server = shard();
		Instance instance = open(Instance.start(this.client, server));
		LockOptions once = RENEWED.withWaitTime(Duration.ZERO);
		List<String> keys = List.of("a", "b", "c");
		Lease other = instance.get("c", once).acquire();
		assertThat(instance.engine().getAll(List.of("a", "b", "d"), once).tryAcquire())
			.hasValueSatisfying(Lease::close);
		Instance another = open(Instance.start(this.client, server));
		assertThat(another.engine().getAll(keys, once).tryAcquire()).isEmpty();
		assertThat(server.call("EXISTS", "a")).isEqualTo("0");
		assertThat(server.call("EXISTS", "b")).isEqualTo("0");
		other.close();
		assertThat(another.engine().getAll(keys, once).tryAcquire()).hasValueSatisfying((lease) -> {
			keys.forEach((key) -> assertThat(server.call("GET", key)).as(key).isNotEqualTo("(nil)"));
			lease.close();
		});
	}

	@Test
	void leasesOfMastersThatRefuseSeveralSlotsAreRenewed() throws Exception {
		RedlockServers masters = open(new RedlockServers(IntStream.range(0, 3).mapToObj((i) -> shard()).toList()));
		RedlockInstance instance = open(masters.instance(this.client, Duration.ofSeconds(1)));
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			leases.add(instance.engine().get("key-" + i, RENEWED).acquire());
		}
		outlive(leases);
	}

	@Test
	void keyOfAnotherTypeLosesItsOwnLeaseOnly() throws Exception {
		RedisTestServer server = open(RedisServers.start());
		Instance instance = open(Instance.start(this.client, server));
		List<Lease> leases = acquireAll(instance, 20);
		replaceByList(server, "key-7");
		Lease lost = leases.remove(7);
		outlive(leases);
		assertThat(lost.isHeld()).isFalse();
		assertThat(lost.lost().toCompletableFuture()).isDone();
	}

	@Test
	void keyOfAnotherTypeOnMastersLosesItsOwnLeaseOnly() throws Exception {
		RedlockServers masters = open(RedlockServers.start(3));
		RedlockInstance instance = open(masters.instance(this.client, Duration.ofSeconds(1)));
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			leases.add(instance.engine().get("key-" + i, RENEWED).acquire());
		}
		masters.all().forEach((server) -> replaceByList(server, "key-7"));
		// The lease survives the loss of a minority.
		replaceByList(masters.get(0), "key-8");
		Lease lost = leases.remove(7);
		outlive(leases);
		assertThat(lost.isHeld()).isFalse();
	}

	@Test
	void acquisitionOfSeveralLocksFailsWithTheErrorOfOneAndTakesNone() throws Exception {
		RedisTestServer server = open(RedisServers.start());
		RedisLockStore store = open(new RedisLockStore(open(Instance.start(this.client, server)).template()));
		for (String wrong : List.of("b", "{b}:fence")) {
			replaceByList(server, wrong);
			assertThat(store.acquireAll(requests("a", "b", "c"))).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(LockStoreException.class)
				.withMessageContaining("WRONGTYPE");
			await().untilAsserted(() -> {
				assertThat(server.call("EXISTS", "a")).isEqualTo("0");
				assertThat(server.call("EXISTS", "c")).isEqualTo("0");
			});
			server.call("FLUSHALL");
		}
		assertThat(store.acquireAll(requests("a", "b", "c"))).succeedsWithin(Duration.ofSeconds(10))
			.satisfies((answers) -> assertThat(answers.values()).hasSize(3)
				.allSatisfy((answer) -> assertThat(answer).isInstanceOf(Granted.class)));
	}

	private static List<LeaseRequest> requests(String... keys) {
		return Stream.of(keys).map((key) -> new LeaseRequest(key, "owner-" + key, LEASE)).toList();
	}

	private static List<Lease> acquireAll(Instance instance, int count) throws Exception {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			leases.add(instance.get("key-" + i, RENEWED).acquire());
		}
		return leases;
	}

	private static void outlive(List<Lease> leases) {
		await().atMost(Duration.ofSeconds(20))
			.pollInterval(Duration.ofMillis(50))
			.during(LEASE.plusMillis(500))
			.until(() -> leases.stream().allMatch(Lease::isHeld));
	}

	private static String refusals(RedisTestServer server) {
		return server.call("INFO", "errorstats")
			.lines()
			.filter((line) -> line.contains("CROSSSLOT"))
			.toList()
			.toString();
	}

	private static void replaceByList(RedisTestServer server, String key) {
		server.call("DEL", key);
		server.call("LPUSH", key, "another");
	}

	/**
	 * Starts a cluster of one server, which refuses keys of different slots like any
	 * other.
	 * @return the server, which serves all slots
	 */
	private RedisTestServer shard() {
		RedisTestServer server = open(RedisServers.start("cluster-enabled yes"));
		// Redis 6.2 does not know ADDSLOTSRANGE.
		server.call(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), IntStream.range(0, 16384).mapToObj(String::valueOf))
			.toArray(String[]::new));
		await().until(() -> server.call("CLUSTER", "INFO").contains("cluster_state:ok"));
		return server;
	}

	private <T extends AutoCloseable> T open(T resource) {
		this.opened.add(resource);
		return resource;
	}

}
