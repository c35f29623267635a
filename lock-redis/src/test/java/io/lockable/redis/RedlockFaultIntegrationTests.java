package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.redis.RedlockServers.RedlockInstance;
import io.lockable.store.StoredLock;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * The outcome of calls on several masters when some of them die, hang or answer late.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class RedlockFaultIntegrationTests {

	/**
	 * Longer than the default: a busy machine is not a failed master.
	 */
	private static final Duration TIMEOUT = Duration.ofMillis(500);

	private static final Duration SOON = Duration.ofSeconds(10);

	private static final LockOptions PATIENT = Instance.waiting(Duration.ofSeconds(30));

	private final RedisClients client;

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final Crew crew = new Crew();

	private final String key = Instance.newKey();

	RedlockFaultIntegrationTests(RedisClients client) {
		this.client = client;
	}

	@AfterEach
	void close() throws Exception {
		this.crew.close();
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	private RedlockServers servers(int masters, String... settings) {
		RedlockServers servers = RedlockServers.start(masters, settings);
		this.opened.add(servers);
		return servers;
	}

	private RedlockInstance instance(RedlockServers servers) {
		RedlockInstance instance = servers.instance(this.client, TIMEOUT);
		this.opened.add(instance);
		return instance;
	}

	@ParameterizedTest
	@EnumSource
	void locksGoOnWithoutAMinority(Fault fault) throws Exception {
		RedlockServers servers = servers(5);
		RedlockInstance one = instance(servers);
		RedlockInstance two = instance(servers);
		servers.first(2, fault::strike);
		LockOptions renewed = PATIENT.withLease(Duration.ofMillis(4500));
		Lease held = one.engine().get(this.key, renewed).tryAcquire().orElseThrow();
		assertThat(two.engine().get(this.key, renewed).tryAcquire()).isEmpty();
		assertThat(two.engine().get(this.key).isLocked()).isTrue();
		Future<Lease> waiting = this.crew.start(two.engine().get(this.key, renewed)::acquire);
		await().pollInterval(Duration.ofMillis(50))
			.during(Duration.ofSeconds(5))
			.atMost(SOON.multipliedBy(2))
			.until(() -> held.isHeld() && !waiting.isDone());
		assertThat(held.extend(Duration.ofSeconds(20))).isTrue();
		assertThat(held.remaining()).isGreaterThan(Duration.ofSeconds(10));
		assertThat(held.release()).isTrue();
		Lease next = waiting.get(10, TimeUnit.SECONDS);
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		assertThat(next.release()).isTrue();
		await().atMost(SOON).until(() -> servers.lockedFrom(this.key, 2) == 0);
	}

	@ParameterizedTest
	@EnumSource
	void lookFindsTheHolderWithoutAMinorityAndFailsWithoutAMajority(Fault fault) {
		RedlockServers servers = servers(5);
		RedlockInstance one = instance(servers);
		RedlockInstance two = instance(servers);
		servers.first(2, (server) -> server.call("SET", this.key, "a competitor"));
		assertThat(two.engine().look(this.key).isHeld()).as("held on fewer than a majority").isFalse();
		servers.first(2, (server) -> server.call("DEL", this.key));
		Lease held = one.engine().get(this.key, PATIENT).tryAcquire().orElseThrow();
		servers.first(2, fault::strike);
		assertThat(two.engine().look(this.key).holders()).extracting(StoredLock.Holder::owner)
			.containsExactly(held.owner());
		List<RedisTestServer> three = new ArrayList<>();
		servers.first(3, three::add);
		fault.strike(three.get(2));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> two.engine().look(this.key))
			.withMessageContaining("masters gave a decisive answer");
	}

	@ParameterizedTest
	@EnumSource
	void withoutAMajorityAcquisitionFailsInTimeAndLeavesNothing(Fault fault) {
		RedlockServers servers = servers(5);
		RedlockInstance instance = instance(servers);
		servers.first(3, fault::strike);
		for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(1))) {
			DistributedLock lock = instance.engine().get(this.key, Instance.waiting(wait));
			long start = System.nanoTime();
			LockException failure = catchThrowableOfType(LockException.class, lock::acquire);
			Duration took = Duration.ofNanos(System.nanoTime() - start);
			assertThat(failure).isInstanceOfAny(LockStoreException.class, LockNotAcquiredException.class);
			assertThat(took).isLessThan(wait.plus(Duration.ofSeconds(8)));
			await().atMost(SOON).until(() -> servers.lockedFrom(this.key, 3) == 0);
		}
		assertThat(catchThrowableOfType(LockStoreException.class, instance.engine().get(this.key)::isLocked))
			.hasMessageContaining("of 5 Redis masters");
	}

	@Test
	void mastersThatAnswerTooLateDoNotStayLockedAfterAFailedAcquisition() {
		RedlockServers servers = servers(3);
		RedlockInstance instance = instance(servers);
		LockOptions longLease = LockOptions.defaults().withLease(Duration.ofMinutes(10));
		servers.first(2, RedisTestServer::pause);
		assertThat(catchThrowableOfType(LockException.class, instance.engine().get(this.key, longLease)::tryAcquire))
			.isNotNull();
		servers.first(2, RedisTestServer::resume);
		await().atMost(SOON).until(() -> tokensOn(servers, this.key) == 3 && servers.lockedFrom(this.key, 0) == 0);
		assertThat(instance.engine().get(this.key, longLease).tryAcquire()).isPresent();
	}

	@Test
	void masterThatAnswersTooLateDoesNotStayLockedAfterTheRelease() {
		RedlockServers servers = servers(3);
		RedlockInstance instance = instance(servers);
		LockOptions longLease = LockOptions.defaults().withLease(Duration.ofMinutes(10));
		servers.get(1).pause();
		Lease held = instance.engine().get(this.key, longLease).tryAcquire().orElseThrow();
		assertThat(held.release()).isTrue();
		servers.get(1).resume();
		await().atMost(SOON).until(() -> tokensOn(servers, this.key) == 3 && servers.lockedFrom(this.key, 0) == 0);
	}

	@Test
	void masterThatIsDownDuringTheReleaseIsToldWhenItIsBack() {
		RedlockServers servers = servers(3, "appendonly yes", "appendfsync always");
		RedlockInstance instance = instance(servers);
		LockOptions longLease = LockOptions.defaults().withLease(Duration.ofMinutes(10));
		Lease held = instance.engine().get(this.key, longLease).tryAcquire().orElseThrow();
		await().atMost(SOON).until(() -> servers.lockedFrom(this.key, 0) == 3);
		servers.get(1).kill();
		assertThat(held.release()).isTrue();
		servers.get(1).restart();
		await().atMost(Duration.ofSeconds(60)).until(() -> servers.lockedFrom(this.key, 0) == 0);
	}

	@Test
	void waiterGoesOnWhileMastersSayThatTheyCannotServeNow() throws Exception {
		RedlockServers servers = servers(3);
		RedlockInstance instance = instance(servers);
		servers.first(2, (server) -> server.call("REPLICAOF", "127.0.0.1", "1"));
		assertThat(catchThrowableOfType(LockStoreException.class, instance.engine().get(this.key)::tryAcquire))
			.matches(LockStoreException::isRetryable, "retryable")
			.hasMessageContaining("READONLY");
		Future<Lease> waiting = this.crew.start(instance.engine().get(this.key, PATIENT)::acquire);
		await().pollInterval(Duration.ofMillis(20))
			.during(Duration.ofMillis(300))
			.atMost(SOON)
			.until(() -> !waiting.isDone());
		servers.first(2, (server) -> server.call("REPLICAOF", "NO", "ONE"));
		assertThat(waiting.get(10, TimeUnit.SECONDS).release()).isTrue();
	}

	/**
	 * Counts stored tokens. A token shows that the acquisition was executed on a master,
	 * however late.
	 */
	private static long tokensOn(RedlockServers servers, String key) {
		return servers.all()
			.stream()
			.filter((server) -> !server.call("GET", "{" + key + "}:fence").equals("(nil)"))
			.count();
	}

	@ParameterizedTest
	@EnumSource
	void masterThatFailsCostsItsTimeoutOnceAndNothingPilesUp(Fault fault) {
		RedlockServers servers = servers(3);
		RedlockInstance instance = instance(servers);
		fault.strike(servers.get(2));
		long start = System.nanoTime();
		int rounds = 500;
		for (int i = 0; i < rounds; i++) {
			instance.engine().get(this.key + i).run(() -> assertThat(rounds).isPositive());
		}
		Duration took = Duration.ofNanos(System.nanoTime() - start);
		assertThat(took).isLessThan(TIMEOUT.multipliedBy(rounds / 10));
		long threads = Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("lockable-"))
			.count();
		assertThat(threads).isLessThan(60);
		fault.end(servers.get(2));
		await().atMost(SOON).until(() -> servers.get(2).call("KEYS", this.key + "*").isEmpty());
	}

	enum Fault {

		KILLED {

			@Override
			void strike(RedisTestServer server) {
				server.kill();
			}

			@Override
			void end(RedisTestServer server) {
				server.restart();
			}

		},

		PAUSED {

			@Override
			void strike(RedisTestServer server) {
				server.pause();
			}

			@Override
			void end(RedisTestServer server) {
				server.resume();
			}

		};

		abstract void strike(RedisTestServer server);

		abstract void end(RedisTestServer server);

	}

}
