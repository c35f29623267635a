package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Instances of an application that are replaced one after the other while they hold locks
 * and contend for one more.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class RollingUpdateIntegrationTests {

	private static final int INSTANCES = 3;

	private static final int LOCKS = 20;

	/**
	 * The index of the lock for which all instances contend.
	 */
	private static final int CONTENDED = LOCKS;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final LockOptions RENEWED = Instance.waiting(PATIENCE).withLease(Duration.ofSeconds(10));

	private final RedisClients client;

	private final RedisTestServer server = RedisServers.start();

	private final Crew crew = new Crew();

	private final List<Application> started = new ArrayList<>();

	private final String key = Instance.newKey();

	private final ConcurrentLinkedQueue<LockEvent> failures = new ConcurrentLinkedQueue<>();

	private final AtomicIntegerArray holders = new AtomicIntegerArray(LOCKS + 1);

	private final AtomicIntegerArray entries = new AtomicIntegerArray(LOCKS + 1);

	private final AtomicLongArray tokens = new AtomicLongArray(LOCKS + 1);

	RollingUpdateIntegrationTests(RedisClients client) {
		this.client = client;
	}

	@AfterEach
	void close() {
		this.crew.close();
		this.started.forEach((application) -> application.instance.close());
		this.server.close();
	}

	@Test
	void replacedInstancesHandTheirLocksOverAndNoneIsLost() throws Exception {
		List<Application> running = new ArrayList<>();
		for (int place = 0; place < INSTANCES; place++) {
			running.add(start(place));
		}
		awaitEntries(1);
		for (int place = 0; place < INSTANCES; place++) {
			Application replaced = running.get(place);
			running.set(place, start(place));
			replaced.stop();
			int from = place;
			await().atMost(PATIENCE).untilAsserted(() -> {
				this.crew.check();
				assertThat(locksOf(from)).allMatch((lock) -> this.entries.get(lock) == 2);
			});
			awaitEntries(10);
		}
		for (Application application : running) {
			application.stop();
		}
		this.crew.join(PATIENCE);
		assertThat(this.failures).isEmpty();
		assertThat(this.server.call("KEYS", this.key + "*")).isEmpty();
	}

	private Application start(int place) {
		Application application = new Application();
		this.started.add(application);
		locksOf(place).forEach((lock) -> this.crew.startAll(1, () -> application.hold(lock)));
		this.crew.startAll(2, application::contend);
		return application;
	}

	private static List<Integer> locksOf(int place) {
		return IntStream.range(0, LOCKS).filter((lock) -> lock % INSTANCES == place).boxed().toList();
	}

	/**
	 * Waits until each lock is held, and the contended lock has been acquired more often.
	 */
	private void awaitEntries(int more) {
		int before = this.entries.get(CONTENDED);
		await().atMost(PATIENCE).until(() -> {
			this.crew.check();
			return this.entries.get(CONTENDED) >= before + more
					&& IntStream.range(0, LOCKS).allMatch((lock) -> this.holders.get(lock) == 1);
		});
	}

	private void enter(int lock, Lease lease) {
		assertThat(this.holders.incrementAndGet(lock)).as("holders of lock %d", lock).isOne();
		assertThat(this.tokens.getAndSet(lock, lease.fencingToken())).isLessThan(lease.fencingToken());
		this.entries.incrementAndGet(lock);
	}

	private void leave(int lock, Lease lease) {
		assertThat(lease.isHeld()).isTrue();
		this.holders.decrementAndGet(lock);
		assertThat(lease.release()).isTrue();
	}

	/**
	 * An instance of the application with its work.
	 */
	private final class Application {

		final Instance instance = Instance.start(RollingUpdateIntegrationTests.this.client,
				RollingUpdateIntegrationTests.this.server,
				(builder) -> builder.shutdownTimeout(PATIENCE).listener(this::note));

		private final CountDownLatch stopping = new CountDownLatch(1);

		private void note(LockEvent event) {
			if (event instanceof LockLost || event instanceof LockEvent.ReleaseFailed
					|| (event instanceof LockEvent.Failed failed && failed.cause() instanceof LockStoreException)) {
				RollingUpdateIntegrationTests.this.failures.add(event);
			}
		}

		/**
		 * Holds a lock until the instance is stopped.
		 */
		void hold(int lock) throws InterruptedException {
			Lease lease = lock(lock).acquire();
			enter(lock, lease);
			this.stopping.await();
			leave(lock, lease);
		}

		void contend() throws InterruptedException {
			DistributedLock lock = lock(CONTENDED);
			while (true) {
				Lease lease;
				try {
					lease = lock.acquire();
				}
				catch (LockException ex) {
					assertThat(ex).isExactlyInstanceOf(LockException.class).hasMessageContaining("shut down");
					return;
				}
				enter(CONTENDED, lease);
				leave(CONTENDED, lease);
			}
		}

		/**
		 * Closes the engine, which waits for the holders. They finish after that.
		 */
		void stop() throws Exception {
			Future<Boolean> closed = RollingUpdateIntegrationTests.this.crew.start(() -> {
				this.instance.engine().close();
				return true;
			});
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThatExceptionOfType(LockException.class)
					.isThrownBy(() -> this.instance.get("probe").tryAcquire().ifPresent(Lease::close))
					.withMessageContaining("shut down"));
			assertThat(closed).isNotDone();
			this.stopping.countDown();
			assertThat(closed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		}

		private DistributedLock lock(int lock) {
			return this.instance.get(RollingUpdateIntegrationTests.this.key + "-" + lock, RENEWED);
		}

	}

}
