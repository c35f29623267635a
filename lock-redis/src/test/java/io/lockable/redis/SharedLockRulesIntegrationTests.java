package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
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

/**
 * The behavior of shared locks on a real server beyond their contract: their data, their
 * cost, and the absence of starvation.
 */
@Tag("extended")
@Tag("servers")
@ParameterizedClass
@EnumSource
class SharedLockRulesIntegrationTests extends TwoInstances {

	private static final LockOptions PATIENT = Instance.waiting(Duration.ofSeconds(60))
		.withLease(Duration.ofSeconds(60));

	private static final String KEY = "a";

	SharedLockRulesIntegrationTests(RedisClients client) {
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
			Lease lease = holder.engine().getReadWriteLock("warm-up", briefly).writeLock().acquire();
			Future<Lease> reader = this.crew
				.start(waiter.engine().getReadWriteLock("warm-up", briefly).readLock()::acquire);
			Instance.awaitWaiters(this.server, "warm-up", 1);
			lease.close();
			reader.get(10, TimeUnit.SECONDS).close();
		}
		DistributedReadWriteLock both = this.one.engine().getReadWriteLock("warm-up", briefly);
		both.writeLock().run(() -> both.readLock().run(() -> {
		}));
		this.server.call("FLUSHALL");
	}

	@Override
	@AfterEach
	void close() {
		super.close();
		this.server.close();
	}

	private static DistributedReadWriteLock lock(Instance instance) {
		return instance.engine().getReadWriteLock(KEY, PATIENT);
	}

	private static DistributedLock read(Instance instance) {
		return lock(instance).readLock();
	}

	private static DistributedLock write(Instance instance) {
		return lock(instance).writeLock();
	}

	private boolean setByHand(String value) {
		return "OK".equals(this.server.call("SET", KEY, value, "NX", "PX", "60000"));
	}

	@Test
	void readersAndHolderOfPermitsKeepAHandWrittenLockOut() {
		Lease reader = read(this.one).tryAcquire().orElseThrow();
		assertThat(setByHand("classic")).isFalse();
		assertThat(reader.release()).isTrue();
		Lease permit = this.one.engine().getSemaphore(KEY, 3, PATIENT).tryAcquire().orElseThrow();
		assertThat(setByHand("classic")).isFalse();
		assertThat(permit.release()).isTrue();
		assertThat(setByHand("classic")).isTrue();
	}

	@Test
	void handWrittenLockKeepsEverybodyOut() throws Exception {
		assertThat(setByHand("classic")).isTrue();
		assertThat(read(this.one).tryAcquire()).isEmpty();
		assertThat(write(this.one).tryAcquire()).isEmpty();
		assertThat(this.one.engine().getSemaphore(KEY, 3, PATIENT).tryAcquire()).isEmpty();
		this.server.call("PEXPIRE", KEY, "300");
		Future<Lease> reader = this.crew.start(read(this.two)::acquire);
		assertThat(reader.get(10, TimeUnit.SECONDS).release()).isTrue();
	}

	@Test
	void lockIsShownAsLongAsTheLongestShareLives() {
		Lease longer = read(this.one).tryAcquire().orElseThrow();
		Lease shorter = this.two.engine()
			.getReadWriteLock(KEY, PATIENT.withLease(Duration.ofSeconds(20)))
			.readLock()
			.tryAcquire()
			.orElseThrow();
		assertThat(Long.parseLong(this.server.call("PTTL", KEY))).isBetween(30_000L, 60_000L);
		assertThat(longer.release()).isTrue();
		assertThat(Long.parseLong(this.server.call("PTTL", KEY))).isBetween(1L, 20_000L);
		assertThat(shorter.extend(Duration.ofSeconds(50))).isTrue();
		assertThat(Long.parseLong(this.server.call("PTTL", KEY))).isBetween(30_000L, 50_000L);
		assertThat(shorter.release()).isTrue();
		assertThat(this.server.call("KEYS", "*")).isEqualTo("{a}:fence");
	}

	@Test
	void shareIsTwoCommands() {
		try (CommandLog log = CommandLog.start(this.server)) {
			read(this.one).run(() -> read(this.one).run(() -> {
			}));
			assertThat(log.read()).containsExactly("EVALSHA", "EVALSHA");
			this.one.engine().getSemaphore(KEY, 5, PATIENT).tryAcquire().orElseThrow().close();
			assertThat(log.read()).containsExactly("EVALSHA", "EVALSHA");
		}
	}

	@Test
	void waitersForSharesOnlyRefreshTheirEntriesUntilTheyAreLetIn() throws Exception {
		Lease writer = write(this.one).tryAcquire().orElseThrow();
		AtomicInteger entered = new AtomicInteger();
		CountDownLatch anyEntered = new CountDownLatch(1);
		try (CommandLog log = CommandLog.start(this.server)) {
			this.crew.startAll(50, () -> {
				try (Lease own = read(this.two).acquire()) {
					entered.addAndGet(own.isHeld() ? 1 : 0);
					anyEntered.countDown();
				}
			});
			Instance.awaitWaiters(this.server, KEY, 50);
			assertThat(log.read()).filteredOn("EVALSHA"::equals).hasSizeLessThanOrEqualTo(100);
			assertThat(anyEntered.await(3, TimeUnit.SECONDS)).isFalse();
			assertThat(log.read()).filteredOn("EVALSHA"::equals)
				.as("each asks again after three fifths of the waiter timeout")
				.hasSizeLessThanOrEqualTo(2 * 50);
			writer.close();
			this.crew.join(Duration.ofSeconds(20));
			assertThat(entered).hasValue(50);
			assertThat(log.read()).filteredOn("EVALSHA"::equals)
				.as("one release of the writer; one release and one extension of each reader at most")
				.hasSizeBetween(2, 1 + 2 * 50);
		}
	}

	@Test
	void downgradeWakesWaitingReadersAtOnceWithOneCommand() throws Exception {
		CountDownLatch written = new CountDownLatch(1);
		CountDownLatch read = new CountDownLatch(1);
		AtomicBoolean downgraded = new AtomicBoolean();
		CountDownLatch holding = new CountDownLatch(1);
		Future<Long> holder = this.crew.start(() -> {
			lock(this.one).writeLock().lock();
			lock(this.one).readLock().lock();
			holding.countDown();
			written.await();
			long start = System.nanoTime();
			lock(this.one).writeLock().unlock();
			downgraded.set(true);
			read.await();
			lock(this.one).readLock().unlock();
			return start;
		});
		holding.await();
		List<Future<Long>> readers = new ArrayList<>();
		CountDownLatch inside = new CountDownLatch(8);
		for (int i = 0; i < 8; i++) {
			Instance instance = (i % 2 == 0) ? this.one : this.two;
			readers.add(this.crew.start(() -> {
				try (Lease lease = read(instance).acquire()) {
					long at = System.nanoTime();
					inside.countDown();
					assertThat(inside.await(5, TimeUnit.SECONDS)).as("all readers inside together").isTrue();
					// Holds until the commands are counted, so that no release is counted
					assertThat(read.await(5, TimeUnit.SECONDS)).isTrue();
					return lease.isHeld() ? at : 0;
				}
			}));
		}
		Instance.awaitWaiters(this.server, KEY, 8);
		try (Hiccups hiccups = Hiccups.start(); CommandLog log = CommandLog.start(this.server)) {
			written.countDown();
			assertThat(inside.await(5, TimeUnit.SECONDS)).isTrue();
			assertThat(log.read()).filteredOn("EVALSHA"::equals).hasSizeBetween(1, 1 + 8);
			read.countDown();
			long start = holder.get(5, TimeUnit.SECONDS);
			for (Future<Long> reader : readers) {
				assertThat(Duration.ofNanos(reader.get(5, TimeUnit.SECONDS) - start))
					.isLessThan(hiccups.allow(Duration.ofMillis(100)));
			}
		}
		assertThat(downgraded).isTrue();
		assertThat(write(this.two).tryAcquire()).map(Lease::release).contains(true);
	}

	@Test
	void permitsOfAKilledProcessAreFreedWhenTheirLeasesEnd() throws Exception {
		try (ChildJvm child = ChildJvm.start(PermitHolder.class, this.client.name(), this.server.host(),
				Integer.toString(this.server.port()), KEY, "3", "2000")) {
			assertThat(child.awaitReport(Duration.ofSeconds(60))).contains(":");
			Lease alive = this.one.engine().getSemaphore(KEY, 3, PATIENT).tryAcquire().orElseThrow();
			assertThat(this.one.engine().getSemaphore(KEY, 3, PATIENT).tryAcquire()).isEmpty();
			CompletableFuture<Lease> first = this.two.engine().getSemaphore(KEY, 3, PATIENT).acquireAsync();
			Instance.awaitWaiters(this.server, KEY, 1);
			CompletableFuture<Lease> second = this.one.engine().getSemaphore(KEY, 3, PATIENT).acquireAsync();
			Instance.awaitWaiters(this.server, KEY, 2);
			CompletableFuture<Lease> third = this.two.engine().getSemaphore(KEY, 3, PATIENT).acquireAsync();
			Instance.awaitWaiters(this.server, KEY, 3);
			child.kill();
			long killed = System.nanoTime();
			assertThat(first.get(10, TimeUnit.SECONDS).isHeld()).isTrue();
			assertThat(second.get(10, TimeUnit.SECONDS).isHeld()).isTrue();
			assertThat(Duration.ofNanos(System.nanoTime() - killed)).isBetween(Duration.ofMillis(500),
					Duration.ofSeconds(8));
			assertThat(third).as("the holder that lives keeps its permit").isNotDone();
			assertThat(alive.release()).isTrue();
			assertThat(third.get(5, TimeUnit.SECONDS).release()).isTrue();
			assertThat(first.get().release() && second.get().release()).isTrue();
		}
	}

}
