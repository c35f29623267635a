package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.ReleaseMode;
import io.lockable.store.LockStore;

/**
 * Stress test of exclusive locks with short waits, interrupts and cancellations.
 */
class LockEngineStressTests extends StressTestCase {

	private final AtomicReference<Thread> holder = new AtomicReference<>();

	private final AtomicLong lastToken = new AtomicLong();

	LockEngineStressTests() {
		super(Set.of("acquired", "refused", "interrupted", "cancelled"), 200_000, List.of("k"));
	}

	@Override
	LockEngine engine(LockStore own) {
		return LockEngine.builder(own).listener((event) -> {
			if (event instanceof LockLost) {
				this.violations.add(event.toString());
			}
		}).build();
	}

	@Override
	void use(LockEngine engine, Random random) {
		LockOptions options = OPTIONS
			.withRelease(random.nextInt(4) == 0 ? ReleaseMode.PIPELINED : ReleaseMode.CONFIRMED)
			.withWaitTime(Duration.ofNanos(random.nextInt(5_000_000)));
		DistributedLock lock = engine.get("k", options);
		try {
			switch (random.nextInt(4)) {
				case 0 -> useAndClose(lock.tryAcquire().orElse(null));
				case 1 -> useAndClose(lock.tryAcquire(options.waitTime()).orElse(null));
				case 2 -> lock.run(this::use);
				default -> useAsync(lock, random);
			}
		}
		catch (InterruptedException ex) {
			count("interrupted");
		}
		catch (LockNotAcquiredException ex) {
			count("refused");
		}
		catch (LockStoreException ex) {
			count("failed");
		}
		catch (RuntimeException ex) {
			if (!(ex.getCause() instanceof InterruptedException)) {
				this.violations.add(ex.toString());
			}
			count("interrupted");
		}
	}

	private void useAsync(DistributedLock lock, Random random) throws InterruptedException {
		CompletableFuture<Lease> future = lock.acquireAsync();
		Lease lease = null;
		try {
			lease = future.get(random.nextInt(1_000), TimeUnit.MICROSECONDS);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof LockStoreException) {
				count("failed");
			}
			else if (!(ex.getCause() instanceof LockNotAcquiredException)) {
				this.violations.add(ex.toString());
			}
			return;
		}
		catch (TimeoutException | InterruptedException ex) {
			if (future.cancel(false)) {
				count("cancelled");
			}
			else if (!future.isCompletedExceptionally()) {
				lease = future.join();
			}
		}
		useAndClose(lease);
	}

	private void useAndClose(Lease lease) {
		if (lease == null) {
			count("refused");
			return;
		}
		try (lease) {
			long earlier = this.lastToken.getAndSet(lease.fencingToken());
			if (earlier >= lease.fencingToken()) {
				this.violations.add("token %d after %d".formatted(lease.fencingToken(), earlier));
			}
			use();
		}
	}

	private void use() {
		count("acquired");
		Thread other = this.holder.getAndSet(Thread.currentThread());
		if (other != null) {
			this.violations.add("%s inside with %s".formatted(Thread.currentThread().getName(), other.getName()));
		}
		this.holder.set(null);
	}

}
