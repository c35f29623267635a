package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Stress test of readers, writers, and holders of permits and of several keys in two
 * instances. They have short waits, interrupts and cancellations. The message of a
 * failure contains the seed.
 */
class SharingStressTests {

	private static final int THREADS = 16;

	private static final int PERMITS = 3;

	private static final Duration TIME = Duration.ofSeconds(3);

	private static final Duration LONGEST = Duration.ofSeconds(30);

	private static final Set<String> OUTCOMES = Set.of("read", "written", "downgraded", "permitted", "all",
			"not acquired");

	private static final LockOptions OPTIONS = LockOptions.defaults().withLease(Duration.ofSeconds(30));

	private final long seed = System.nanoTime();

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final AtomicInteger readers = new AtomicInteger();

	private final AtomicInteger writers = new AtomicInteger();

	private final AtomicInteger permits = new AtomicInteger();

	private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();

	private final ConcurrentHashMap<String, AtomicInteger> outcomes = new ConcurrentHashMap<>();

	@Test
	void nobodyMeetsWhomItMustNotAndNothingIsLeftBehind() throws Exception {
		try (LockEngine one = LockEngine.builder(this.store).build();
				LockEngine two = LockEngine.builder(this.store.peer()).build()) {
			run(one, two);
			assertThat(this.outcomes).doesNotContainKey("failed");
			assertNothingIsLeftBehind(one, two);
		}
	}

	@Test
	void nobodyMeetsWhomItMustNotAndNothingIsLeftBehindOnABadNetwork() throws Exception {
		UnreliableStore first = new UnreliableStore(this.store);
		UnreliableStore second = new UnreliableStore(this.store.peer());
		try (LockEngine one = engine(first); LockEngine two = engine(second)) {
			run(one, two);
			assertThat(this.outcomes).containsKey("failed");
			first.becomeReliable();
			second.becomeReliable();
			assertNothingIsLeftBehind(one, two);
		}
	}

	private static LockEngine engine(LockStore own) {
		return LockEngine.builder(own).build();
	}

	private void run(LockEngine one, LockEngine two) throws InterruptedException {
		long until = System.nanoTime() + TIME.toNanos();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			Random random = new Random(this.seed + i);
			LockEngine engine = (i % 2 == 0) ? one : two;
			threads.add(new Thread(() -> work(engine, random, until), "stress-" + i));
		}
		threads.forEach(Thread::start);
		Random random = new Random(this.seed - 1);
		while (isUnderWay(until)) {
			threads.get(random.nextInt(THREADS)).interrupt();
			LockSupport.parkNanos(random.nextInt(2_000_000));
		}
		for (Thread thread : threads) {
			thread.join(TimeUnit.SECONDS.toMillis(20));
			assertThat(thread.isAlive()).as("%s stuck, seed %d", thread.getName(), this.seed).isFalse();
		}
		assertThat(this.violations).as("seed %d", this.seed).isEmpty();
		assertThat(this.outcomes).containsKeys(OUTCOMES.toArray(String[]::new));
	}

	private void assertNothingIsLeftBehind(LockEngine one, LockEngine two) {
		for (LockEngine engine : List.of(one, two)) {
			Awaitility.await().untilAsserted(() -> {
				assertThat(engine.shells().isIdle()).as("idle, seed %d", this.seed).isTrue();
				assertThat(engine.shells().parts().timer().size()).isEqualTo(2);
			});
		}
		for (String key : List.of("rw", "semaphore", "other")) {
			assertThat(this.store.isLocked(key).toCompletableFuture().join()).as("locked, seed %d", this.seed)
				.isFalse();
			// A release would grant the lock to a waiter left on the server.
			Lease lease = two.get(key).tryAcquire().orElseThrow();
			assertThat(lease.release()).isTrue();
			assertThat(this.store.isLocked(key).toCompletableFuture().join()).as("locked, seed %d", this.seed)
				.isFalse();
		}
	}

	/**
	 * Runs until the time is over and each outcome was seen, which takes longer on a busy
	 * machine.
	 */
	private boolean isUnderWay(long until) {
		long left = until - System.nanoTime();
		return left > 0 || (left > -LONGEST.toNanos() && !this.outcomes.keySet().containsAll(OUTCOMES));
	}

	private void work(LockEngine engine, Random random, long until) {
		while (isUnderWay(until)) {
			LockOptions options = OPTIONS.withWaitTime(Duration.ofNanos(random.nextInt(8_000_000)));
			DistributedReadWriteLock lock = engine.getReadWriteLock("rw", options);
			try {
				switch (random.nextInt(8)) {
					case 0 -> lock.writeLock().run(() -> write("written"));
					case 1 -> downgrade(lock);
					case 2 -> permit(engine.getSemaphore("semaphore", PERMITS, options)
						.tryAcquire(options.waitTime())
						.orElse(null));
					case 3 -> cancel(engine, lock.readLock(), random);
					case 4 -> engine.getAll(List.of("other", "rw"), options).run(() -> write("all"));
					default -> lock.readLock().run(() -> read("read"));
				}
			}
			catch (LockStoreException ex) {
				count("failed");
			}
			catch (InterruptedException ex) {
				count("not acquired");
			}
			catch (LockException ex) {
				if (ex.getCause() instanceof InterruptedException) {
					Thread.interrupted();
				}
				count("not acquired");
			}
			catch (RuntimeException ex) {
				this.violations.add(ex.toString());
			}
		}
	}

	private void downgrade(DistributedReadWriteLock lock) {
		lock.writeLock().lock();
		lock.readLock().lock();
		try {
			write("written");
			lock.writeLock().unlock();
			if (lock.readLock().isHeldByCurrentThread()) {
				read("downgraded");
			}
		}
		finally {
			lock.readLock().unlock();
		}
	}

	private void cancel(LockEngine engine, DistributedLock lock, Random random) {
		var future = random.nextBoolean() ? lock.acquireAsync()
				: engine.getAll(List.of("rw", "other"), OPTIONS.withWaitTime(Duration.ofMillis(5))).acquireAsync();
		LockSupport.parkNanos(random.nextInt(500_000));
		if (!future.cancel(false) && !future.isCompletedExceptionally()) {
			future.join().close();
		}
	}

	private void permit(Lease lease) {
		if (lease != null) {
			try (lease) {
				check(this.permits.incrementAndGet() <= PERMITS, "too many permits");
				pause();
				this.permits.decrementAndGet();
				count("permitted");
			}
		}
	}

	private void read(String outcome) {
		this.readers.incrementAndGet();
		check(this.writers.get() == 0, "a reader beside a writer");
		pause();
		check(this.writers.get() == 0, "a writer beside a reader");
		this.readers.decrementAndGet();
		count(outcome);
	}

	private void write(String outcome) {
		check(this.writers.incrementAndGet() == 1, "two writers");
		check(this.readers.get() == 0, "a writer beside readers");
		pause();
		this.writers.decrementAndGet();
		count(outcome);
	}

	private static void pause() {
		LockSupport.parkNanos(50_000);
	}

	private void check(boolean ok, String violation) {
		if (!ok) {
			this.violations.add(violation);
		}
	}

	private void count(String outcome) {
		this.outcomes.computeIfAbsent(outcome, (absent) -> new AtomicInteger()).incrementAndGet();
	}

}
