package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.test.redis.RedisServers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The rules of every lock, between two instances on a real server.
 */
@Tag("extended")
@Tag("servers")
@ParameterizedClass
@EnumSource
class ClassicRulesIntegrationTests extends TwoInstances {

	private static final Duration PROMPTLY = Duration.ofMillis(100);

	private static final Duration LONG_WAIT = Duration.ofSeconds(20);

	private static final LockOptions UNRENEWED = LockOptions.defaults().withRenewal(Renewal.OFF);

	private final String key = Instance.newKey();

	ClassicRulesIntegrationTests(RedisClients client) {
		super(client, RedisServers.shared());
	}

	@Test
	void killedHolderFreesTheLockWhenItsLeaseEndsAndAWaiterHasItPromptly() throws Exception {
		try (Hiccups hiccups = Hiccups.start();
				ChildJvm holder = ChildJvm.start(LockHolder.class, this.client.name(), this.server.host(),
						Integer.toString(this.server.port()), this.key, "1500")) {
			String owner = holder.awaitReport(Duration.ofSeconds(60));
			Future<Long> acquiredAt = this.crew.start(this::acquisitionTime);
			Instance.awaitWaiters(this.server, this.key, 1);
			assertThat(this.server.call("GET", this.key)).isEqualTo(owner);
			holder.kill();
			// Read after the kill: a renewal could still arrive before it.
			Duration remaining = remainingOnServer();
			long readAt = System.nanoTime();
			Duration waited = Duration.ofNanos(acquiredAt.get(20, TimeUnit.SECONDS) - readAt);
			assertThat(remaining).isPositive();
			assertThat(waited).isGreaterThan(remaining.minusMillis(20))
				.isLessThan(remaining.plus(hiccups.allow(PROMPTLY)));
		}
	}

	@Test
	void ownerWhoseLeaseEndedCannotReleaseTheNextOwnersLock() {
		Lease late = this.one.get(this.key, UNRENEWED).tryAcquire().orElseThrow();
		assertThat(this.server.call("GET", this.key)).isEqualTo(late.owner());
		endLeaseOnServer();
		Lease next = this.two.get(this.key).tryAcquire().orElseThrow();
		assertThat(late.isHeld()).as("the late owner does not know yet, so it does ask the server").isTrue();
		assertThat(late.release()).isFalse();
		assertThat(this.server.call("GET", this.key)).isEqualTo(next.owner());
		assertThat(next.fencingToken()).isGreaterThan(late.fencingToken());
		assertThat(next.isHeld()).isTrue();
		assertThat(next.release()).isTrue();
	}

	@Test
	void successorInTheSameInstanceDoesNotInheritALockThatTheServerGaveToAnother() throws Exception {
		Lease late = this.one.get(this.key, UNRENEWED).tryAcquire().orElseThrow();
		CompletableFuture<Thread> waiting = new CompletableFuture<>();
		Future<Lease> successor = this.crew.start(() -> {
			waiting.complete(Thread.currentThread());
			return this.one.get(this.key, Instance.waiting(LONG_WAIT)).acquire();
		});
		// The thread waits behind a holder of its own instance, so other instances
		// cannot see it.
		await().until(() -> waiting.join().getState() == Thread.State.TIMED_WAITING);
		endLeaseOnServer();
		Lease next = this.two.get(this.key).tryAcquire().orElseThrow();
		late.close();
		Lease early = successor.get(10, TimeUnit.SECONDS);
		await().atMost(Duration.ofSeconds(2)).until(() -> !early.isHeld());
		assertThat(early.lost()).succeedsWithin(Duration.ofSeconds(2));
		assertThat(this.server.call("GET", this.key)).isEqualTo(next.owner());
		early.close();
		assertThat(next.release()).isTrue();
	}

	@Test
	void lockNeverStandsWithoutExpiry() throws Exception {
		AtomicBoolean done = new AtomicBoolean();
		AtomicInteger seen = new AtomicInteger();
		try (ServerCalls calls = ServerCalls.record(this.server)) {
			Future<Integer> eternal = this.crew.start(() -> {
				int found = 0;
				while (!done.get()) {
					Long remaining = this.two.template().getExpire(this.key, TimeUnit.MILLISECONDS);
					seen.addAndGet((remaining >= 0) ? 1 : 0);
					found += (remaining == -1) ? 1 : 0;
				}
				return found;
			});
			try (Crew lockers = new Crew()) {
				for (Instance instance : List.of(this.one, this.two)) {
					DistributedLock lock = instance.get(this.key, Instance.waiting(LONG_WAIT));
					lockers.startAll(2, () -> {
						for (int round = 0; round < 250; round++) {
							lock.run(() -> {
							});
						}
					});
				}
				lockers.join(Duration.ofSeconds(30));
			}
			done.set(true);
			assertThat(eternal.get(5, TimeUnit.SECONDS)).isZero();
			assertThat(seen.get()).as("samples of the held lock").isGreaterThan(20);
			List<String> writes = calls.read()
				.stream()
				.filter((line) -> line.contains("lua]") && line.contains("\"" + this.key + "\""))
				.filter((line) -> !line.matches(".*] \"(GET|EXISTS|PTTL|DEL|PEXPIRE)\" .*"))
				.toList();
			assertThat(writes).isNotEmpty()
				.allSatisfy((line) -> assertThat(line).containsPattern("\"SET\" .* \"PX\" \"\\d+\""));
		}
	}

	@Test
	void lockHeldByUsRefusesTheClassicCommand() {
		Lease lease = this.one.get(this.key).tryAcquire().orElseThrow();
		assertThat(this.server.call("SET", this.key, "classic", "NX", "PX", "1000")).isEqualTo("(nil)");
		assertThat(this.server.call("GET", this.key)).isEqualTo(lease.owner());
		assertThat(lease.release()).isTrue();
		assertThat(this.server.call("SET", this.key, "classic", "NX", "PX", "1000")).isEqualTo("OK");
		this.server.call("DEL", this.key);
	}

	@Test
	void classicCommandRefusesUsUntilItsExpiryAndThenAWaiterHasTheLockPromptly() throws Exception {
		assertThat(this.server.call("SET", this.key, "classic", "NX", "PX", "900")).isEqualTo("OK");
		assertThat(this.one.get(this.key).tryAcquire()).isEmpty();
		try (Hiccups hiccups = Hiccups.start()) {
			Future<Long> acquiredAt = this.crew.start(this::acquisitionTime);
			Duration remaining = remainingOnServer();
			long readAt = System.nanoTime();
			assertThat(this.server.call("GET", this.key)).isEqualTo("classic");
			Duration waited = Duration.ofNanos(acquiredAt.get(20, TimeUnit.SECONDS) - readAt);
			assertThat(waited).isGreaterThan(remaining.minusMillis(20))
				.isLessThan(remaining.plus(hiccups.allow(PROMPTLY)));
		}
	}

	@Test
	void ownerStandsInRedisWithTheRequestIdInFront() {
		try (Instance instance = Instance.start(this.client, this.server,
				(builder) -> builder.requestId(() -> "req-7"))) {
			try (Lease lease = instance.get(this.key).tryAcquire().orElseThrow()) {
				assertThat(this.server.call("GET", this.key)).isEqualTo(lease.owner()).startsWith("req-7:");
			}
		}
	}

	@Test
	void repeatedRequestIdNeitherEntersNorReleases() throws Exception {
		try (Instance victim = Instance.start(this.client, this.server,
				(builder) -> builder.requestId(() -> "req-7"))) {
			DistributedLock lock = victim.get(this.key);
			lock.lock();
			String owner = this.server.call("GET", this.key);
			assertThat(this.crew.start(lock::tryLock).get()).as("another thread with the same request id").isFalse();
			assertThatExceptionOfType(IllegalMonitorStateException.class)
				.isThrownBy(() -> joined(this.crew.start(() -> {
					lock.unlock();
					return true;
				})));
			try (Instance same = Instance.start(this.client, this.server,
					(builder) -> builder.requestId(() -> "req-7"));
					Instance forged = Instance.start(this.client, this.server,
							(builder) -> builder.requestId(() -> owner))) {
				assertThat(same.get(this.key).tryAcquire()).isEmpty();
				assertThat(forged.get(this.key).tryLock()).isFalse();
				assertThat(forged.get(this.key).tryAcquire(Duration.ofMillis(50))).isEmpty();
			}
			assertThat(this.server.call("GET", this.key)).isEqualTo(owner);
			lock.unlock();
		}
	}

	private static void joined(Future<?> future) throws Throwable {
		try {
			future.get();
		}
		catch (ExecutionException ex) {
			throw ex.getCause();
		}
	}

	private long acquisitionTime() throws InterruptedException {
		try (Lease lease = this.one.get(this.key, Instance.waiting(LONG_WAIT)).acquire()) {
			long now = System.nanoTime();
			assertThat(lease.isHeld()).isTrue();
			return now;
		}
	}

	private void endLeaseOnServer() {
		this.server.call("PEXPIRE", this.key, "1");
		await().atMost(Duration.ofSeconds(2))
			.pollInterval(Duration.ofMillis(1))
			.until(() -> this.server.call("GET", this.key).equals("(nil)"));
	}

	private Duration remainingOnServer() {
		return Duration.ofMillis(Long.parseLong(this.server.call("PTTL", this.key)));
	}

}
