package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.test.redis.CommandLog;
import io.lockable.test.redis.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The commands that each operation may send to the server, and the keys that it may leave
 * there.
 */
@Tag("any-jdk")
@Tag("servers")
@ParameterizedClass
@EnumSource
class CommandBudgetIntegrationTests extends TwoInstances {

	private static final Duration LONG_WAIT = Duration.ofSeconds(30);

	private static final LockOptions PATIENT = Instance.waiting(LONG_WAIT).withLease(Duration.ofSeconds(60));

	CommandBudgetIntegrationTests(RedisClients client) {
		super(client, RedisServers.start());
	}

	/**
	 * Opens the connections and the subscriptions, and loads the scripts. The lease
	 * equals that of a grant and is not renewed, so no extension is in flight afterwards.
	 */
	@BeforeEach
	void warmUp() throws Exception {
		LockOptions briefly = PATIENT.withLease(RedisLockStore.DEFAULT_WAITER_TIMEOUT).withRenewal(Renewal.OFF);
		for (Instance holder : List.of(this.one, this.two)) {
			Instance waiter = holder.equals(this.one) ? this.two : this.one;
			Lease lease = holder.get("warm-up", briefly).tryAcquire().orElseThrow();
			assertThat(lease.extend(Duration.ofSeconds(60))).isTrue();
			Future<Lease> next = this.crew.start(waiter.get("warm-up", briefly)::acquire);
			Instance.awaitWaiters(this.server, "warm-up", 1);
			lease.close();
			next.get(10, TimeUnit.SECONDS).close();
		}
		this.server.call("FLUSHALL");
	}

	@Override
	@AfterEach
	void close() {
		super.close();
		this.server.close();
	}

	@Test
	void uncontendedLockAndUnlockAreTwoCommands() {
		DistributedLock lock = this.one.get("a");
		try (CommandLog log = CommandLog.start(this.server)) {
			lock.lock();
			lock.unlock();
			assertThat(log.read()).containsExactly("EVALSHA", "EVALSHA");
		}
	}

	@Test
	void severalFreeKeysAreTakenByOneCommand() {
		DistributedLock all = this.one.engine().getAll(List.of("a", "b", "c"), PATIENT);
		// The first call may load the script
		all.run(() -> {
		});
		try (CommandLog log = CommandLog.start(this.server)) {
			all.lock();
			assertThat(log.read()).containsExactly("EVALSHA");
			all.unlock();
			// One command for each lock, or fewer if the client batches them. Since Redis
			// 7.2, a new connection of the pool names its client.
			assertThat(log.read()).filteredOn((command) -> !command.equals("CLIENT"))
				.hasSizeBetween(1, 3)
				.allMatch((command) -> command.startsWith("EVAL"));
		}
	}

	@Test
	void reentrantAcquisitionIsNoCommand() {
		DistributedLock lock = this.one.get("a");
		lock.lock();
		try (CommandLog log = CommandLog.start(this.server)) {
			lock.lock();
			lock.run(() -> assertThat(lock.holdCount()).isEqualTo(3));
			lock.unlock();
			assertThat(log.read()).isEmpty();
		}
		lock.unlock();
	}

	@Test
	void refusedTryIsOneCommand() {
		try (Lease lease = this.one.get("a").tryAcquire().orElseThrow();
				CommandLog log = CommandLog.start(this.server)) {
			assertThat(this.two.get("a").tryLock()).isFalse();
			assertThat(log.read()).containsExactly("EVALSHA");
			assertThat(this.two.get("a").tryAcquire()).isEmpty();
			assertThat(log.read()).containsExactly("EVALSHA");
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void tryRefusedByAHolderInTheSameInstanceIsNoCommand() {
		try (Lease lease = this.one.get("a").tryAcquire().orElseThrow();
				CommandLog log = CommandLog.start(this.server)) {
			assertThat(this.one.get("a").tryAcquire()).isEmpty();
			assertThat(log.read()).isEmpty();
			assertThat(lease.isHeld()).isTrue();
		}
	}

	/**
	 * One command to queue, and one to release. A hold of a second would need an
	 * extension.
	 */
	@Test
	void acquisitionsThatAlternateBetweenInstancesAreTwoCommands() throws Exception {
		int rounds = 20;
		Lease lease = this.one.get("a", PATIENT).tryAcquire().orElseThrow();
		try (CommandLog log = CommandLog.start(this.server)) {
			for (int i = 0; i < rounds; i++) {
				Future<Lease> next = this.crew.start(((i % 2 == 0) ? this.two : this.one).get("a", PATIENT)::acquire);
				Instance.awaitWaiters(this.server, "a", 1);
				assertThat(lease.release()).isTrue();
				lease = next.get(10, TimeUnit.SECONDS);
			}
			assertThat(log.read()).filteredOn((command) -> command.startsWith("EVAL"))
				.hasSizeBetween(2 * rounds, 2 * rounds + 3);
		}
		assertThat(lease.release()).isTrue();
	}

	/**
	 * The new holder sends the extension after a third of its first lease.
	 */
	@Test
	void handOffBetweenInstancesOfALongLeaseIsOneCommandAndAnExtension() throws Exception {
		Lease lease = this.one.get("a", PATIENT).tryAcquire().orElseThrow();
		Future<Lease> next = this.crew.start(this.two.get("a", PATIENT)::acquire);
		Instance.awaitWaiters(this.server, "a", 1);
		try (CommandLog log = CommandLog.start(this.server)) {
			assertThat(lease.release()).isTrue();
			assertThat(next.get(10, TimeUnit.SECONDS).isHeld()).isTrue();
			await().until(() -> next.get().remaining().compareTo(RedisLockStore.DEFAULT_WAITER_TIMEOUT) > 0);
			// The first call may load the script
			assertThat(log.read()).hasSizeBetween(2, 3).allMatch((command) -> command.startsWith("EVAL"));
			assertThat(next.get().release()).isTrue();
			assertThat(log.read()).containsExactly("EVALSHA");
		}
	}

	@Test
	void handOffBetweenInstancesIsOneCommand() throws Exception {
		LockOptions options = PATIENT.withLease(RedisLockStore.DEFAULT_WAITER_TIMEOUT);
		Lease lease = this.one.get("a", options).tryAcquire().orElseThrow();
		Future<Lease> next = this.crew.start(this.two.get("a", options)::acquire);
		Instance.awaitWaiters(this.server, "a", 1);
		try (CommandLog log = CommandLog.start(this.server)) {
			assertThat(lease.release()).isTrue();
			assertThat(next.get(10, TimeUnit.SECONDS).isHeld()).isTrue();
			assertThat(log.read()).containsExactly("EVALSHA");
			assertThat(next.get().release()).isTrue();
			assertThat(log.read()).containsExactly("EVALSHA");
		}
	}

	@Test
	void fiftyWaitingThreadsSendAtMostFiveCommandsWhileAKeyIsHeld() throws Exception {
		Lease lease = this.one.get("a", PATIENT).tryAcquire().orElseThrow();
		AtomicInteger entered = new AtomicInteger();
		CountDownLatch anyEntered = new CountDownLatch(1);
		try (CommandLog log = CommandLog.start(this.server)) {
			this.crew.startAll(50, () -> {
				try (Lease own = this.two.get("a", PATIENT).acquire()) {
					entered.addAndGet(own.isHeld() ? 1 : 0);
					anyEntered.countDown();
				}
			});
			assertThat(anyEntered.await(900, TimeUnit.MILLISECONDS)).as("before the holder is asked for").isFalse();
			assertThat(log.read()).hasSizeBetween(1, 5);
			lease.close();
			this.crew.join(Duration.ofSeconds(20));
			assertThat(entered).hasValue(50);
			assertThat(log.read()).hasSizeLessThanOrEqualTo(1 + 50 + 2);
		}
	}

	@Test
	void handOffWithinAnInstanceIsAtMostOneCommand() throws Exception {
		int rounds = 200;
		AtomicInteger wanting = new AtomicInteger();
		AtomicInteger contended = new AtomicInteger();
		DistributedLock lock = this.one.get("a", PATIENT);
		try (CommandLog log = CommandLog.start(this.server)) {
			this.crew.startAll(8, () -> {
				for (int round = 0; round < rounds; round++) {
					wanting.incrementAndGet();
					lock.lock();
					contended.addAndGet((wanting.decrementAndGet() > 0) ? 1 : 0);
					lock.unlock();
				}
			});
			this.crew.join(Duration.ofSeconds(30));
			int uncontended = 8 * rounds - contended.get();
			assertThat(contended.get()).as("acquisitions while others waited").isGreaterThan(8 * rounds / 2);
			assertThat(log.read()).hasSizeLessThanOrEqualTo(contended.get() + 2 * uncontended + 2);
		}
	}

	@Test
	void twoHundredLeasesAreRenewedInBatches() throws Exception {
		LockOptions options = LockOptions.defaults().withLease(Duration.ofMillis(4500));
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			leases.add(this.one.get("held-" + i, options).tryAcquire().orElseThrow());
		}
		try (CommandLog log = CommandLog.start(this.server)) {
			CountDownLatch lost = new CountDownLatch(1);
			leases.forEach((lease) -> lease.lost().thenRun(lost::countDown));
			assertThat(lost.await(6, TimeUnit.SECONDS)).isFalse();
			assertThat(log.read()).as("commands in 6 s, of which each lease needed at least 3 renewals")
				.hasSizeBetween(3, 40)
				.containsOnly("EVALSHA");
		}
		assertThat(leases).allMatch(Lease::isHeld);
		for (int i = 0; i < 200; i++) {
			assertThat(this.server.call("GET", "held-" + i)).isEqualTo(leases.get(i).owner());
		}
		leases.forEach((lease) -> assertThat(lease.release()).isTrue());
	}

	@Test
	void nothingIsRenewedAfterItsRelease() throws Exception {
		LockOptions options = LockOptions.defaults().withLease(Duration.ofSeconds(3));
		for (int i = 0; i < 1000; i++) {
			DistributedLock lock = this.one.get("a-" + (i % 10), options);
			lock.lock();
			lock.unlock();
		}
		try (CommandLog log = CommandLog.start(this.server)) {
			List<String> sent = new ArrayList<>();
			await().during(Duration.ofMillis(1500)).atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
				sent.addAll(log.read());
				assertThat(sent).isEmpty();
			});
		}
	}

	@Test
	void releaseLeavesOnlyTheFencingTokenAndThatExpires() {
		this.one.get("a").run(() -> {
		});
		assertThat(this.server.call("KEYS", "*")).isEqualTo("{a}:fence");
		assertThat(Long.parseLong(this.server.call("PTTL", "{a}:fence"))).isBetween(1L, 120_001L);
	}

	@Test
	void everyKeyExpiresWhileTheLockIsHeldAndWaitedFor() throws Exception {
		Lease lease = this.one.get("a", PATIENT).tryAcquire().orElseThrow();
		Future<Lease> next = this.crew.start(this.two.get("a", PATIENT)::acquire);
		Instance.awaitWaiters(this.server, "a", 1);
		assertThat(this.server.call("KEYS", "*").lines()).containsExactlyInAnyOrder("a", "{a}:fence", "{a}:queue",
				"{a}:waiters");
		this.server.call("KEYS", "*")
			.lines()
			.forEach((key) -> assertThat(Long.parseLong(this.server.call("PTTL", key))).as(key).isPositive());
		lease.close();
		next.get(10, TimeUnit.SECONDS).close();
		assertThat(this.server.call("KEYS", "*")).isEqualTo("{a}:fence");
	}

	@Test
	void contentionLeavesNoQueueAndNoSubscription() throws Exception {
		for (int i = 0; i < 40; i++) {
			String key = "a-" + i;
			for (Instance instance : List.of(this.one, this.two)) {
				this.crew.startAll(2, () -> {
					for (int round = 0; round < 3; round++) {
						instance.get(key, PATIENT).run(() -> {
						});
					}
				});
			}
			this.crew.start(() -> giveUpSoon(this.two.get(key, PATIENT)));
		}
		this.crew.join(Duration.ofSeconds(30));
		assertThat(this.server.call("PUBSUB", "CHANNELS", "lockable:inbox:????????????????").lines())
			.as("one channel an instance")
			.hasSize(2);
		this.server.call("PUBSUB", "CHANNELS", "lockable:inbox:????????????????")
			.lines()
			.forEach((channel) -> assertThat(this.server.call("PUBSUB", "NUMSUB", channel)).endsWith("\n1"));
		await().atMost(Duration.ofSeconds(5))
			.untilAsserted(() -> assertThat(this.server.call("KEYS", "*").lines())
				.noneMatch((key) -> key.endsWith(":queue") || key.endsWith(":waiters")));
	}

	@Test
	void closedEngineLeavesNoSubscription() {
		assertThat(this.server.call("PUBSUB", "CHANNELS", "lockable:inbox:????????????????").lines()).hasSize(2);
		this.one.engine().close();
		this.two.engine().close();
		await().atMost(Duration.ofSeconds(5))
			.untilAsserted(() -> assertThat(this.server.call("PUBSUB", "CHANNELS", "lockable:inbox:????????????????"))
				.isEmpty());
	}

	private static boolean giveUpSoon(DistributedLock lock) throws InterruptedException {
		boolean locked = lock.tryLock(1, TimeUnit.MILLISECONDS);
		if (locked) {
			lock.unlock();
		}
		return locked;
	}

}
