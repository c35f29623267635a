package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockEngine} on the in-memory store, with two engines as two instances.
 */
class LockEngineTests {

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final LockEngine one = LockEngine.builder(this.store).build();

	private final LockEngine two = LockEngine.builder(this.store.peer()).build();

	@AfterEach
	void close() {
		this.one.close();
		this.two.close();
	}

	@Test
	void tryAcquireWhenHeldByOtherInstanceReturnsEmpty() {
		Lease lease = this.one.get("a").tryAcquire().orElseThrow();
		assertThat(this.two.get("a").tryAcquire()).isEmpty();
		assertThat(lease.release()).isTrue();
		Optional<Lease> next = this.two.get("a").tryAcquire();
		assertThat(next).isPresent();
		assertThat(next.get().fencingToken()).isGreaterThan(lease.fencingToken());
		next.get().close();
		assertThat(this.one.shells().isIdle()).isTrue();
	}

	@Test
	void manyThreadsOfTwoInstancesExcludeOneAnotherAndAllGetIn() throws Exception {
		int threads = 16;
		int rounds = 500;
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		int[] count = { 0 };
		List<Long> tokens = new ArrayList<>();
		CountDownLatch done = new CountDownLatch(threads);
		for (int i = 0; i < threads; i++) {
			DistributedLock lock = ((i % 2 == 0) ? this.one : this.two).get("k",
					LockOptions.defaults().withWaitTime(Duration.ofSeconds(20)));
			new Thread(() -> {
				for (int round = 0; round < rounds; round++) {
					try (Lease lease = lock.acquire()) {
						if (inside.incrementAndGet() > 1) {
							overlaps.incrementAndGet();
						}
						count[0]++;
						tokens.add(lease.fencingToken());
						inside.decrementAndGet();
					}
					catch (InterruptedException ex) {
						throw new IllegalStateException(ex);
					}
				}
				done.countDown();
			}).start();
		}
		assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(overlaps).hasValue(0);
		assertThat(count[0]).isEqualTo(threads * rounds);
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
		assertThat(this.one.shells().isIdle()).isTrue();
		assertThat(this.two.shells().isIdle()).isTrue();
	}

}
