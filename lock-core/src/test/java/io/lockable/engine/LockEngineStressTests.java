package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.ReleaseMode;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Stress test of two instances with short waits, interrupts and cancellations. The
 * message of a failure contains the seed.
 */
class LockEngineStressTests {

	private static final int THREADS = 16;

	private static final Duration TIME = Duration.ofSeconds(3);

	private static final Duration LONGEST = Duration.ofSeconds(30);

	private static final Set<String> OUTCOMES = Set.of("acquired", "refused", "interrupted", "cancelled");

	private static final LockOptions OPTIONS = LockOptions.defaults().withLease(Duration.ofSeconds(30));

	private final long seed = System.nanoTime();

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final AtomicReference<Thread> holder = new AtomicReference<>();

	private final AtomicLong lastToken = new AtomicLong();

	private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();

	private final ConcurrentHashMap<String, AtomicInteger> outcomes = new ConcurrentHashMap<>();

	@Test
	void locksStayExclusiveAndNothingIsLeftBehind() throws Exception {
		try (LockEngine one = engine(this.store); LockEngine two = engine(this.store.peer())) {
			run(one, two);
			assertThat(this.outcomes).containsKeys(OUTCOMES.toArray(String[]::new)).doesNotContainKey("failed");
			assertNothingIsLeftBehind(one, two);
		}
	}

	@Test
	void locksStayExclusiveAndNothingIsLeftBehindOnABadNetwork() throws Exception {
		UnreliableStore first = new UnreliableStore(this.store);
		UnreliableStore second = new UnreliableStore(this.store.peer());
		try (LockEngine one = engine(first); LockEngine two = engine(second)) {
			run(one, two);
			assertThat(this.outcomes).containsKeys(OUTCOMES.toArray(String[]::new)).containsKey("failed");
			first.becomeReliable();
			second.becomeReliable();
			assertNothingIsLeftBehind(one, two);
		}
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
			LockSupport.parkNanos(random.nextInt(200_000));
		}
		for (Thread thread : threads) {
			thread.join(TimeUnit.SECONDS.toMillis(20));
			assertThat(thread.isAlive()).as("%s stuck, seed %d", thread.getName(), this.seed).isFalse();
		}
		assertThat(this.violations).as("seed %d", this.seed).isEmpty();
	}

	private void assertNothingIsLeftBehind(LockEngine one, LockEngine two) {
		for (LockEngine engine : List.of(one, two)) {
			Awaitility.await().untilAsserted(() -> {
				assertThat(engine.shells().isIdle()).as("idle, seed %d", this.seed).isTrue();
				assertThat(engine.shells().parts().timer().size()).isEqualTo(2);
			});
		}
		assertThat(this.store.isLocked("k").toCompletableFuture().join()).as("locked, seed %d", this.seed).isFalse();
		// A release would grant the lock to a waiter left on the server.
		Lease lease = two.get("k").tryAcquire().orElseThrow();
		assertThat(lease.release()).isTrue();
		assertThat(this.store.isLocked("k").toCompletableFuture().join()).as("locked, seed %d", this.seed).isFalse();
	}

	private LockEngine engine(LockStore own) {
		return LockEngine.builder(own).listener((event) -> {
			if (event instanceof LockLost) {
				this.violations.add(event.toString());
			}
		}).build();
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

	private void count(String outcome) {
		this.outcomes.computeIfAbsent(outcome, (absent) -> new AtomicInteger()).incrementAndGet();
	}

}
