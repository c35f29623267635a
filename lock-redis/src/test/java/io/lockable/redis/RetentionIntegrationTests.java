package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks that an instance retains, while other instances recall them and faults occur.
 */
@Tag("servers")
class RetentionIntegrationTests {

	private static final Pattern CALLS = Pattern.compile("cmdstat_(evalsha|eval|set|get)\\S*:calls=(\\d+)");

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withLease(Duration.ofSeconds(30))
		.withRetain(Duration.ofMinutes(10));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(PATIENCE);

	private final RedisTestServer server = RedisServers.start();

	private final String key = Instance.newKey();

	@AfterEach
	void close() {
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void lockThatIsTakenAgainNeedsNoCommand(RedisClients client) {
		try (Instance one = Instance.start(client, this.server)) {
			long last = retain(one, this.key);
			DistributedLock lock = one.get(this.key, OPTIONS);
			// Reserves tokens for the next acquisitions
			for (int i = 0; i < 100; i++) {
				last = next(lock, last);
			}
			long[] seen = { -1 };
			await().pollInterval(Duration.ofMillis(20)).until(() -> {
				long former = seen[0];
				seen[0] = commands();
				return seen[0] == former;
			});
			long before = commands();
			for (int i = 0; i < 1_000; i++) {
				last = next(lock, last);
			}
			assertThat(commands() - before).isLessThanOrEqualTo(4);
			assertThat(lock.isLocked()).isFalse();
			assertThat(this.server.call("EXISTS", this.key)).isEqualTo("1");
		}
		assertThat(this.server.call("EXISTS", this.key)).as("after the shutdown").isEqualTo("0");
	}

	@ParameterizedTest
	@EnumSource
	void idleLockIsHandedToAnInstanceThatAsks(RedisClients client) throws Exception {
		try (Instance one = Instance.start(client, this.server); Instance two = patient(client)) {
			long last = retain(one, this.key);
			for (int i = 0; i < 10; i++) {
				Instance asking = (i % 2 == 0) ? two : one;
				Optional<Lease> once = asking.get(this.key, OPTIONS).tryAcquire();
				assertThat(once).as("try %d", i).isPresent();
				assertThat(once.get().fencingToken()).isGreaterThan(last);
				last = once.get().fencingToken();
				assertThat(once.get().release()).isTrue();
				Instance waiting = (i % 2 == 0) ? one : two;
				try (Lease lease = waiting.get(this.key, WAITING).acquire()) {
					assertThat(lease.fencingToken()).isGreaterThan(last);
					last = lease.fencingToken();
				}
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void idleLockIsHandedToAnInstanceThatTriesForAShareOnce(RedisClients client) {
		try (Instance one = Instance.start(client, this.server); Instance two = patient(client)) {
			for (int i = 0; i < 5; i++) {
				retain(one, this.key);
				Lease read = two.engine()
					.getReadWriteLock(this.key, LockOptions.defaults())
					.readLock()
					.tryAcquire()
					.orElseThrow();
				assertThat(read.release()).isTrue();
				retain(one, this.key);
				Lease permit = two.engine()
					.getSemaphore(this.key, 2, LockOptions.defaults())
					.tryAcquire()
					.orElseThrow();
				assertThat(permit.release()).isTrue();
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void eachTryOnAnIdleLockSucceedsAndTakesTwoRoundTrips(RedisClients client) {
		UnaryOperator<LockEngine.Builder> patient = (builder) -> builder.recallTimeout(PATIENCE);
		try (FaultProxy proxy = FaultProxy.to(this.server);
				Instance one = Instance.start(client, proxy.host(), proxy.port(), patient);
				Instance two = Instance.start(client, proxy.host(), proxy.port(), patient)) {
			retain(one, this.key);
			retain(two, this.key);
			proxy.delay(Duration.ofMillis(10));
			List<Long> tries = new ArrayList<>();
			List<Long> roundTrips = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				DistributedLock lock = ((i % 2 == 0) ? one : two).get(this.key, OPTIONS);
				tries.add(nanos(() -> assertThat(lock.tryLock()).isTrue()));
				lock.unlock();
				roundTrips.add(nanos(one.get(this.key + "-free", OPTIONS)::isLocked));
			}
			assertThat(median(tries)).isBetween(median(roundTrips) * 3 / 2, median(roundTrips) * 5 / 2);
		}
	}

	@ParameterizedTest
	@EnumSource
	void tryFailsWhileAHolderWorksAndItsReleaseIsAHandOff(RedisClients client) throws Exception {
		try (Instance one = Instance.start(client, this.server); Instance two = patient(client)) {
			retain(one, this.key);
			Lease lease = one.get(this.key, OPTIONS).acquire();
			assertThat(two.get(this.key, OPTIONS).tryAcquire()).isEmpty();
			CompletableFuture<Lease> waiting = two.get(this.key, WAITING).acquireAsync();
			await().atMost(PATIENCE).until(() -> one.engine().look(this.key).waiting() == 1);
			assertThat(waiting).isNotDone();
			assertThat(lease.release()).isTrue();
			Lease next = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
			next.release();
		}
	}

	@ParameterizedTest
	@EnumSource
	void recallThatIsLostIsSentAgain(RedisClients client) throws Exception {
		try (FaultProxy proxy = FaultProxy.to(this.server);
				Instance one = Instance.start(client, proxy.host(), proxy.port(), (builder) -> builder);
				Instance two = Instance.start(client, this.server)) {
			retain(one, this.key);
			proxy.holdMessages();
			assertThat(two.get(this.key, OPTIONS).tryAcquire()).isEmpty();
			CompletableFuture<Lease> waiting = two.get(this.key, WAITING).acquireAsync();
			await().atMost(PATIENCE).until(() -> proxy.heldMessages() > 1);
			assertThat(waiting).isNotDone();
			proxy.releaseMessages();
			waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
		}
	}

	@ParameterizedTest
	@EnumSource
	void recallMeetsLocalAcquirers(RedisClients client) throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		AtomicLong last = new AtomicLong();
		AtomicInteger disorder = new AtomicInteger();
		AtomicInteger tries = new AtomicInteger();
		try (Instance one = Instance.start(client, this.server);
				Instance two = Instance.start(client, this.server);
				Crew crew = new Crew()) {
			crew.startAll(2, () -> {
				while (!over.get()) {
					try (Lease lease = one.get(this.key, WAITING).acquire()) {
						visit(lease, inside, overlaps, last, disorder);
					}
				}
			});
			crew.startAll(1, () -> {
				while (!over.get()) {
					try (Lease lease = two.get(this.key, OPTIONS).tryAcquire().orElse(null)) {
						if (lease != null) {
							visit(lease, inside, overlaps, last, disorder);
							tries.incrementAndGet();
						}
					}
				}
			});
			await().atMost(PATIENCE).until(() -> tries.get() >= 200);
			over.set(true);
			crew.join(PATIENCE);
		}
		assertThat(overlaps.get()).isZero();
		assertThat(disorder.get()).as("fencing tokens that did not grow").isZero();
		assertThat(this.server.call("EXISTS", this.key)).isEqualTo("0");
	}

	private static void visit(Lease lease, AtomicInteger inside, AtomicInteger overlaps, AtomicLong last,
			AtomicInteger disorder) {
		overlaps.addAndGet((inside.incrementAndGet() > 1) ? 1 : 0);
		disorder.addAndGet((last.getAndSet(lease.fencingToken()) >= lease.fencingToken()) ? 1 : 0);
		inside.decrementAndGet();
	}

	@ParameterizedTest
	@EnumSource
	void lockIsNotTakenAgainAfterAPauseLongerThanTheLease(RedisClients client) throws Exception {
		try (ChildJvm child = child(client, Duration.ofSeconds(1));
				Instance two = Instance.start(client, this.server)) {
			long last = Long.parseLong(child.awaitReport(PATIENCE));
			signal(child, "STOP");
			Lease lease = two.get(this.key, WAITING).acquire();
			assertThat(lease.fencingToken()).isGreaterThan(last);
			child.goAhead();
			signal(child, "CONT");
			assertThat(child.awaitReport(PATIENCE)).isEqualTo("refused");
			assertThat(lease.release()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource
	void lockIsNotTakenAgainOnAnotherServer(RedisClients client) throws Exception {
		try (Instance one = Instance.start(client, this.server); Instance two = Instance.start(client, this.server)) {
			long last = retain(one, this.key);
			last = next(one.get(this.key, OPTIONS), last);
			this.server.restart();
			await().atMost(PATIENCE).until(() -> one.engine().retained().isEmpty());
			AtomicReference<Lease> taken = new AtomicReference<>();
			await().atMost(PATIENCE).ignoreExceptions().until(() -> {
				taken.set(two.get(this.key, WAITING).acquire());
				return true;
			});
			Lease lease = taken.get();
			assertThat(lease.fencingToken()).isGreaterThan(last);
			last = lease.fencingToken();
			assertThat(one.get(this.key, OPTIONS).tryAcquire()).isEmpty();
			assertThat(lease.release()).isTrue();
			try (Lease again = one.get(this.key, WAITING).acquire()) {
				assertThat(again.fencingToken()).isGreaterThan(last);
			}
		}
	}

	/**
	 * Makes an instance retain a lock, which requires its subscription.
	 * @param instance the instance
	 * @param key the lock
	 * @return the last fencing token
	 */
	private static long retain(Instance instance, String key) {
		long[] last = { 0 };
		await().atMost(PATIENCE).until(() -> {
			last[0] = next(instance.get(key, OPTIONS), last[0]);
			return instance.engine().retained().size() == 1;
		});
		return last[0];
	}

	private static long next(DistributedLock lock, long last) {
		Lease lease = lock.tryAcquire().orElseThrow();
		assertThat(lease.fencingToken()).isGreaterThan(last);
		assertThat(lease.release()).isTrue();
		return lease.fencingToken();
	}

	// Returns an instance whose recall timeout suits a busy machine
	private Instance patient(RedisClients client) {
		return Instance.start(client, this.server, (builder) -> builder.recallTimeout(PATIENCE));
	}

	private ChildJvm child(RedisClients client, Duration lease) {
		return ChildJvm.start(RetainingChild.class, client.name(), this.server.host(),
				Integer.toString(this.server.port()), this.key, Long.toString(lease.toMillis()));
	}

	private static void signal(ChildJvm child, String signal) throws Exception {
		assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(child.process().pid())).start().waitFor())
			.isZero();
	}

	private static long nanos(Runnable work) {
		long start = System.nanoTime();
		work.run();
		return System.nanoTime() - start;
	}

	private static long median(List<Long> times) {
		return times.stream().sorted().skip(times.size() / 2).findFirst().orElseThrow();
	}

	private long commands() {
		Matcher matcher = CALLS.matcher(this.server.call("INFO", "commandstats"));
		return matcher.results().mapToLong((result) -> Long.parseLong(result.group(2))).sum();
	}

}
