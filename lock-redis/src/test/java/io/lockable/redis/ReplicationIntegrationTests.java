package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.LockEngine;
import io.lockable.store.Acquisition.Granted;
import io.lockable.test.redis.CommandLog;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks that count only after replicas have acknowledged them, without a failover.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class ReplicationIntegrationTests {

	private static final Acknowledgements ALL = Acknowledgements.of(Replicas.ALL);

	private static final LockOptions LONG = LockOptions.defaults().withLease(Duration.ofSeconds(60));

	private static final LockOptions PATIENT = LONG.withWaitTime(Duration.ofSeconds(20));

	@AutoClose
	private static final ReplicatedServers servers = new ReplicatedServers();

	private final String key = Instance.newKey();

	private final Hiccups hiccups = Hiccups.start();

	private final Crew crew = new Crew();

	private final StringRedisTemplate template;

	private final RedisLockStore store;

	private final LockEngine one;

	private final LockEngine two;

	ReplicationIntegrationTests(RedisClients client) {
		this.template = servers.connect(client);
		this.store = new RedisLockStore(this.template, ALL);
		this.one = engine(ALL);
		this.two = engine(ALL);
	}

	private LockEngine engine(Acknowledgements acknowledgements) {
		return LockEngine.builder(new RedisLockStore(this.template, acknowledgements))
			.shutdownTimeout(Duration.ofMillis(100))
			.build();
	}

	/**
	 * Opens the connections, loads the scripts and counts the replicas.
	 */
	@BeforeEach
	void warmUp() throws Exception {
		Lease lease = this.one.get("warm-up" + this.key, PATIENT).acquire();
		Future<Lease> next = this.crew.start(this.two.get("warm-up" + this.key, PATIENT)::acquire);
		await().until(() -> servers.master().call("LLEN", "{warm-up" + this.key + "}:queue").equals("1"));
		lease.close();
		next.get(20, TimeUnit.SECONDS).close();
		this.store.acquire("warm-up" + this.key, "owner", Duration.ofSeconds(1)).toCompletableFuture().join();
		this.store.release("warm-up" + this.key, "owner").toCompletableFuture().join();
	}

	@AfterEach
	void close() {
		servers.resume();
		this.crew.close();
		this.one.close();
		this.two.close();
		this.store.close();
		RedisClients.disconnect(this.template);
		this.hiccups.close();
	}

	@Test
	void everythingThatGivesALockIsOnAllReplicas() {
		for (int i = 0; i < 50; i++) {
			String name = this.key + i;
			Duration lease = Duration.ofSeconds(60);
			join(this.store.acquire(name, "a", lease));
			assertOnReplicas(name, "a");
			join(this.store.transfer(name, "a", "b", lease));
			assertOnReplicas(name, "b");
			join(this.store.enqueue(name, "b", lease, false));
			join(this.store.downgrade(name, "b", "c", lease));
			assertOnReplicas(name, "lockable:shared");
			join(this.store.enqueueShared(name, "d", lease, 5));
			assertThat(servers.replicas())
				.allMatch((replica) -> replica.call("ZCARD", "{" + name + "}:holders").equals("2"));
		}
	}

	@Test
	void uncontendedLockAndUnlockAreTheTwoScriptsAndOneWait() {
		DistributedLock lock = this.one.get(this.key, LONG);
		try (CommandLog log = CommandLog.start(servers.master())) {
			lock.lock();
			lock.unlock();
			assertThat(withoutOthers(log)).containsExactly("EVALSHA", "WAIT", "EVALSHA");
		}
	}

	@Test
	void handOffBetweenInstancesIsConfirmedByOneMoreScript() throws Exception {
		Lease lease = this.one.get(this.key, PATIENT).acquire();
		Future<Lease> next = this.crew.start(this.two.get(this.key, PATIENT)::acquire);
		Instance.awaitWaiters(servers.master(), this.key, 1);
		try (CommandLog log = CommandLog.start(servers.master())) {
			assertThat(lease.release()).isTrue();
			Lease granted = next.get(10, TimeUnit.SECONDS);
			assertOnReplicas(this.key, granted.owner());
			assertThat(withoutOthers(log)).containsExactly("EVALSHA", "EVALSHA", "WAIT");
			assertThat(granted.release()).isTrue();
		}
	}

	@Test
	void lockThatReplicasDoNotAcknowledgeFailsInTimeAndIsGivenBack() {
		servers.pauseReplicas();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.one.get(this.key, LONG)::tryAcquire)
			.withMessageContaining("'" + this.key + "'")
			.withMessageContaining("0 of 2 replicas acknowledged within 500ms, but 2 must acknowledge");
		Duration took = Duration.ofNanos(System.nanoTime() - start);
		assertThat(took).isGreaterThanOrEqualTo(ALL.timeout())
			.isLessThan(this.hiccups.allow(ALL.timeout().plusMillis(500)));
		assertFreedSoon();
		servers.resume();
		this.one.get(this.key, PATIENT).run(() -> {
		});
	}

	@Test
	void triesAfterOneThatReplicasDoNotAcknowledgeFindNoContention() {
		DistributedLock lock = this.one.get(this.key, LONG);
		servers.pauseReplicas();
		for (int i = 0; i < 4; i++) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(lock::tryAcquire);
		}
		servers.resume();
		try (Lease lease = lock.tryAcquire().orElseThrow()) {
			assertOnReplicas(this.key, lease.owner());
		}
	}

	@Test
	void waiterFailsWithTheStoreWhenItsWaitIsOver() throws Exception {
		Lease lease = this.one.get(this.key, LONG).tryAcquire().orElseThrow();
		LockOptions brief = LONG.withWaitTime(Duration.ofSeconds(2));
		Future<Lease> here = this.crew.start(this.one.get(this.key, brief)::acquire);
		Future<Lease> there = this.crew.start(this.two.get(this.key, brief)::acquire);
		Instance.awaitWaiters(servers.master(), this.key, 1);
		servers.pauseReplicas();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(lease::release);
		for (Future<Lease> waiting : List.of(here, there)) {
			assertThat(waiting).failsWithin(Duration.ofSeconds(6))
				.withThrowableThat()
				.havingCause()
				.isInstanceOfAny(LockStoreException.class, LockNotAcquiredException.class);
		}
		assertThat(here).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockStoreException.class)
			.withMessageContaining("of 2 replicas acknowledged");
		assertFreedSoon();
	}

	@Test
	void othersAreNotHeldUpWhileReplicasAreWaitedFor() throws Exception {
		Lease lease = this.one.get(this.key + "held", LONG).tryAcquire().orElseThrow();
		servers.pauseReplicas();
		try (LockEngine patient = engine(ALL.withTimeout(Duration.ofMillis(900)))) {
			Future<?> refused = this.crew.start(patient.get(this.key, LONG)::tryAcquire);
			await().until(() -> servers.master().call("EXISTS", this.key).equals("1"));
			long start = System.nanoTime();
			assertThat(this.one.get(this.key + "held").isLocked()).isTrue();
			assertThat(this.template.hasKey(this.key + "held")).isTrue();
			assertThat(lease.release()).isTrue();
			Duration took = Duration.ofNanos(System.nanoTime() - start);
			assertThat(refused.isDone()).as("replicas are still waited for").isFalse();
			assertThat(took).isLessThan(this.hiccups.allow(Duration.ofMillis(250)));
			assertThat(refused).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(LockStoreException.class);
		}
	}

	@Test
	void extensionThatReplicasDoNotAcknowledgeFails() {
		Lease lease = this.one.get(this.key, LONG).tryAcquire().orElseThrow();
		assertThat(lease.extend(Duration.ofSeconds(90))).isTrue();
		assertThat(servers.replicas()).allMatch((replica) -> Long.parseLong(replica.call("PTTL", this.key)) > 80_000);
		servers.pauseReplicas();
		Duration before = lease.remaining();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(Duration.ofSeconds(200)))
			.withMessageContaining("of 2 replicas acknowledged");
		assertThat(lease.remaining()).as("what replicas do not know does not count").isLessThanOrEqualTo(before);
		assertThat(lease.release()).isTrue();
	}

	@Test
	void keptLockIsOnAllReplicas() {
		for (int i = 0; i < 50; i++) {
			String name = this.key + i;
			join(this.store.acquire(name, "a", Duration.ofSeconds(60)));
			assertThat(this.store.keep(name, "a", Duration.ofSeconds(30)).toCompletableFuture().join()).isTrue();
			assertOnReplicas(name, "a:kept");
		}
		Lease lease = this.one.get(this.key, LONG).tryAcquire().orElseThrow();
		servers.pauseReplicas();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> lease.releaseAfter(Duration.ofSeconds(100)))
			.withMessageContaining("of 2 replicas acknowledged");
	}

	@Test
	void masterWithoutReplicasIsNotOneThatHasAllOfThem() {
		servers.cutOffReplicas();
		assertThat(servers.master().call("INFO", "replication")).contains("connected_slaves:0");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.one.get(this.key, LONG)::tryAcquire)
			.withMessageContaining("0 of 2 replicas acknowledged");
		for (Replicas from : List.of(Replicas.ONE, Replicas.MAJORITY, Replicas.ALL)) {
			// Each iteration has its own key, because a background release of another one
			// may be pending
			try (LockEngine late = engine(Acknowledgements.of(from))) {
				assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(late.get(this.key + from, LONG)::tryAcquire)
					.withMessageContaining("0 of 1 replicas acknowledged");
			}
		}
		try (LockEngine late = engine(Acknowledgements.of(Replicas.MAJORITY).withReplicas(3))) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(late.get(this.key + 3, LONG)::tryAcquire)
				.withMessageContaining("0 of 3 replicas acknowledged within 500ms, but 2 must acknowledge");
		}
		assertFreedSoon();
	}

	@Test
	void oneReplicaIsEnoughForOneButNotForAll() {
		RedisTestServer paused = servers.replicas().get(0);
		paused.pause();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.one.get(this.key, LONG)::tryAcquire)
			.withMessageContaining("1 of 2 replicas acknowledged");
		assertFreedSoon();
		try (LockEngine easy = engine(Acknowledgements.of(Replicas.ONE))) {
			easy.get(this.key, LONG).run(() -> {
			});
		}
	}

	@Test
	void connectionThatIsCutIsReplaced() {
		for (int i = 0; i < 3; i++) {
			RedisTestServer master = servers.master();
			master.call("CLIENT", "LIST")
				.lines()
				.filter((client) -> client.contains(" cmd=wait "))
				.map((client) -> client.replaceAll("^id=(\\d+) .*", "$1"))
				.forEach((id) -> master.call("CLIENT", "KILL", "ID", id));
			await().atMost(Duration.ofSeconds(10)).ignoreExceptionsInstanceOf(LockStoreException.class).until(() -> {
				this.one.get(this.key, LONG).run(() -> {
				});
				return true;
			});
		}
		assertThat(servers.master().call("GET", this.key)).isEqualTo("(nil)");
	}

	private void assertOnReplicas(String name, String owner) {
		assertThat(servers.replicas()).allMatch((replica) -> replica.call("GET", name).equals(owner));
	}

	private void assertFreedSoon() {
		await().atMost(Duration.ofSeconds(5))
			.untilAsserted(() -> assertThat(servers.master().call("EXISTS", this.key)).isEqualTo("0"));
	}

	/**
	 * Returns the commands without those of sentinels, replicas and the test.
	 */
	private static List<String> withoutOthers(CommandLog log) {
		return log.read().stream().filter(List.of("EVALSHA", "EVAL", "WAIT")::contains).toList();
	}

	private static void join(CompletionStage<?> stage) {
		assertThat(stage.toCompletableFuture().join()).isInstanceOf(Granted.class);
	}

}
