package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;

/**
 * Stress test of readers, writers, and holders of permits and of several keys in two
 * instances. They have short waits, interrupts and cancellations. The message of a
 * failure contains the seed.
 */
class SharingStressTests extends StressTestCase {

	private static final int PERMITS = 3;

	private final AtomicInteger readers = new AtomicInteger();

	private final AtomicInteger writers = new AtomicInteger();

	private final AtomicInteger permits = new AtomicInteger();

	SharingStressTests() {
		super(Set.of("read", "written", "downgraded", "permitted", "all", "not acquired"), 2_000_000,
				List.of("rw", "semaphore", "other"));
	}

	@Override
	void use(LockEngine engine, Random random) {
		LockOptions options = OPTIONS.withWaitTime(Duration.ofNanos(random.nextInt(8_000_000)));
		DistributedReadWriteLock lock = engine.getReadWriteLock("rw", options);
		try {
			switch (random.nextInt(8)) {
				case 0 -> lock.writeLock().run(() -> write("written"));
				case 1 -> downgrade(lock);
				case 2 -> permit(
						engine.getSemaphore("semaphore", PERMITS, options).tryAcquire(options.waitTime()).orElse(null));
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

}
