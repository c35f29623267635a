package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lettuce.core.ReadFrom;
import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.DistributedSemaphore;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestSentinel;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * In an application that reads from replicas, locks never do.
 */
@Tag("extended")
@Tag("any-jdk")
class ReplicaReadsIntegrationTests {

	private static final LockOptions PATIENT = Instance.waiting(Duration.ofSeconds(20))
		.withLease(Duration.ofSeconds(60));

	/**
	 * The commands that a replica receives from its master for a lock, and from clients
	 * that inspect the servers.
	 */
	private static final Set<String> NO_LOCK_COMMANDS = Set.of("set", "del", "pexpire", "pexpireat", "lpop", "lrem",
			"rpush", "hset", "hdel", "zadd", "zrem", "unlink", "publish", "ping", "multi", "exec", "select", "info",
			"role", "hello", "client|setinfo", "client|setname", "client|id", "config|resetstat", "cluster|nodes",
			"cluster|slots", "cluster|myid", "cluster|keyslot", "readonly", "replconf", "command", "script|load");

	@AutoClose
	private static final RedisTestSentinel servers = RedisServers.startSentinel(1);

	@AutoClose
	private static final RedisTestCluster cluster = RedisServers.startCluster(3, 1);

	@BeforeAll
	static void replicate() {
		// Lettuce does not read from a replica that has received no data yet.
		for (RedisTestServer master : cluster.servers().subList(0, 3)) {
			String key = Stream.generate(Instance::newKey)
				.filter((candidate) -> cluster.masterOf(candidate).equals(master))
				.findFirst()
				.orElseThrow();
			master.call("SET", key, "value");
			assertThat(master.call("WAIT", "1", "5000")).isEqualTo("1");
		}
	}

	@ParameterizedTest
	@EnumSource
	void lockCommandsGoToTheMasterAlone(Deployment deployment) throws Exception {
		try (Instance one = instance(deployment); Instance two = instance(deployment)) {
			List<RedisTestServer> replicas = replicas(deployment);
			String key = Instance.newKey();
			replicas.forEach((replica) -> replica.call("CONFIG", "RESETSTAT"));
			one.template().opsForValue().get(key);
			assertThat(commands(replicas)).as("the setting is in force").contains("get");
			replicas.forEach((replica) -> replica.call("CONFIG", "RESETSTAT"));
			useAllKindsOfLocks(one, two, key);
			Set<String> sent = commands(replicas);
			sent.removeAll(NO_LOCK_COMMANDS);
			sent.removeAll(deployment.harmless());
			assertThat(sent).as("sent to a replica").isEmpty();
		}
	}

	private static void useAllKindsOfLocks(Instance one, Instance two, String key) throws Exception {
		DistributedLock lock = one.get(key, PATIENT);
		assertThat(lock.isLocked()).isFalse();
		Lease lease = lock.tryAcquire().orElseThrow();
		assertThat(two.get(key).isLocked()).isTrue();
		assertThat(two.engine().look(key).isHeld()).isTrue();
		assertThat(two.get(key).tryAcquire()).isEmpty();
		assertThat(lease.extend(Duration.ofSeconds(90))).isTrue();
		try (Crew crew = new Crew()) {
			Future<Lease> waiting = crew.start(two.get(key, PATIENT)::acquire);
			await().during(Duration.ofMillis(300)).atMost(Duration.ofSeconds(5)).until(() -> !waiting.isDone());
			assertThat(lease.release()).isTrue();
			long before = System.nanoTime();
			assertThat(waiting.get(5, TimeUnit.SECONDS).release()).isTrue();
			assertThat(Duration.ofNanos(System.nanoTime() - before)).as("hand-off").isLessThan(Duration.ofSeconds(4));
		}
		DistributedReadWriteLock readWrite = one.engine().getReadWriteLock(key + ":rw", PATIENT);
		readWrite.readLock().run(() -> assertThat(readWrite.readLock().isLocked()).isTrue());
		readWrite.writeLock().run(() -> readWrite.readLock().run(() -> {
		}));
		DistributedSemaphore semaphore = one.engine().getSemaphore(key + ":permits", 2, PATIENT);
		semaphore.tryAcquire().orElseThrow().close();
		one.engine().getAll(List.of(key + ":1", key + ":2"), PATIENT).run(() -> {
		});
		assertThat(lock.isLocked()).isFalse();
	}

	/**
	 * Returns the commands that replicas have run.
	 */
	private static Set<String> commands(List<RedisTestServer> replicas) {
		Set<String> names = new TreeSet<>();
		for (RedisTestServer replica : replicas) {
			replica.call("INFO", "commandstats")
				.lines()
				.filter((line) -> line.startsWith("cmdstat_"))
				.map((line) -> line.substring("cmdstat_".length(), line.indexOf(':')))
				.forEach(names::add);
		}
		return names;
	}

	private static List<RedisTestServer> replicas(Deployment deployment) {
		List<RedisTestServer> all = (deployment == Deployment.CLUSTER) ? cluster.servers() : servers.servers();
		return all.stream().filter((server) -> server.call("ROLE").startsWith("slave")).toList();
	}

	private static Instance instance(Deployment deployment) {
		LettuceClientConfiguration client = LettuceClientConfiguration.builder().readFrom(ReadFrom.REPLICA).build();
		StringRedisTemplate template = RedisClients.connect(new LettuceConnectionFactory(deployment.servers(), client));
		return Instance.on(template, (builder) -> builder.shutdownTimeout(Duration.ofMillis(100)));
	}

	private enum Deployment {

		STANDALONE,

		/**
		 * Lists the replica first.
		 */
		STATIC,

		SENTINEL,

		CLUSTER;

		/**
		 * Returns further commands that a replica may receive.
		 * @return on a cluster, subscriptions: each server delivers messages
		 */
		Set<String> harmless() {
			return (this == CLUSTER) ? Set.of("subscribe", "unsubscribe") : Set.of();
		}

		RedisConfiguration servers() {
			RedisTestServer master = servers.servers().get(0);
			RedisTestServer replica = servers.servers().get(1);
			return switch (this) {
				case STANDALONE -> new RedisStandaloneConfiguration(master.host(), master.port());
				case STATIC -> {
					RedisStaticMasterReplicaConfiguration nodes = new RedisStaticMasterReplicaConfiguration(
							replica.host(), replica.port());
					nodes.addNode(master.host(), master.port());
					yield nodes;
				}
				case SENTINEL -> RedisDeployment.configuration(servers);
				case CLUSTER -> RedisDeployment.configuration(cluster);
			};
		}

	}

}
