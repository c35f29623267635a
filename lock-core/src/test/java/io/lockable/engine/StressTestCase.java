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

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A stress test of two instances, whose threads are interrupted. It runs until each
 * outcome has occurred. The message of a failure contains the seed.
 */
abstract class StressTestCase {

	static final LockOptions OPTIONS = LockOptions.defaults().withLease(Duration.ofSeconds(30));

	private static final int THREADS = 16;

	private static final Duration TIME = Duration.ofSeconds(3);

	private static final Duration LONGEST = Duration.ofSeconds(30);

	final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();

	private final long seed = System.nanoTime();

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final ConcurrentHashMap<String, AtomicInteger> outcomes = new ConcurrentHashMap<>();

	private final Set<String> expected;

	private final int nanosBetweenInterrupts;

	private final List<String> keys;

	StressTestCase(Set<String> expected, int nanosBetweenInterrupts, List<String> keys) {
		this.expected = expected;
		this.nanosBetweenInterrupts = nanosBetweenInterrupts;
		this.keys = keys;
	}

	/**
	 * Uses the locks of an instance once.
	 * @param engine the instance
	 * @param random decides what to do
	 */
	abstract void use(LockEngine engine, Random random);

	LockEngine engine(LockStore own) {
		return LockEngine.builder(own).build();
	}

	void count(String outcome) {
		this.outcomes.computeIfAbsent(outcome, (absent) -> new AtomicInteger()).incrementAndGet();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void locksStayExclusiveAndNothingIsLeftBehind(boolean unreliable) throws Exception {
		UnreliableStore first = new UnreliableStore(this.store);
		UnreliableStore second = new UnreliableStore(this.store.peer());
		try (LockEngine one = engine(unreliable ? first.client() : this.store);
				LockEngine two = engine(unreliable ? second.client() : this.store.peer())) {
			run(one, two);
			assertThat(this.violations).as("seed %d", this.seed).isEmpty();
			assertThat(this.outcomes).containsKeys(this.expected.toArray(String[]::new));
			assertThat(this.outcomes.containsKey("failed")).isEqualTo(unreliable);
			first.becomeReliable();
			second.becomeReliable();
			for (LockEngine engine : List.of(one, two)) {
				Awaitility.await().untilAsserted(() -> {
					assertThat(engine.shells().isIdle()).as("idle, seed %d", this.seed).isTrue();
					assertThat(engine.shells().parts().timer().size()).isEqualTo(3);
				});
			}
			this.keys.forEach((key) -> {
				assertIsFree(key);
				// A release would grant the lock to a waiter left on the server.
				Lease lease = two.get(key).tryAcquire().orElseThrow();
				assertThat(lease.release()).isTrue();
				assertIsFree(key);
			});
		}
		finally {
			first.close();
			second.close();
		}
	}

	private void run(LockEngine one, LockEngine two) throws InterruptedException {
		long until = System.nanoTime() + TIME.toNanos();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			Random random = new Random(this.seed + i);
			LockEngine engine = (i % 2 == 0) ? one : two;
			threads.add(new Thread(() -> {
				while (isUnderWay(until)) {
					use(engine, random);
				}
			}, "stress-" + i));
		}
		threads.forEach(Thread::start);
		Random random = new Random(this.seed - 1);
		while (isUnderWay(until)) {
			threads.get(random.nextInt(THREADS)).interrupt();
			LockSupport.parkNanos(random.nextInt(this.nanosBetweenInterrupts));
		}
		for (Thread thread : threads) {
			thread.join(TimeUnit.SECONDS.toMillis(20));
			assertThat(thread.isAlive()).as("%s stuck, seed %d", thread.getName(), this.seed).isFalse();
		}
	}

	private boolean isUnderWay(long until) {
		long left = until - System.nanoTime();
		return left > 0 || (left > -LONGEST.toNanos() && !this.outcomes.keySet().containsAll(this.expected));
	}

	private void assertIsFree(String key) {
		assertThat(this.store.isLocked(key).toCompletableFuture().join()).as("locked, seed %d", this.seed).isFalse();
	}

}
