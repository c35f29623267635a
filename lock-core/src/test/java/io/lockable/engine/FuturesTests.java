package io.lockable.engine;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import javax.management.JMException;
import javax.management.ObjectName;

import io.lockable.DistributedLock;
import io.lockable.LockOptions;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the number of futures that a call creates, with the one that the store
 * returns.
 */
@SuppressWarnings("LockNotBeforeTry")
class FuturesTests {

	private static final int CALLS = 2_000;

	// A renewal on a slow machine would create futures.
	private static final LockOptions UNRENEWED = LockOptions.defaults().withLease(Duration.ofHours(1));

	/**
	 * The histogram misses what a garbage collection in between has removed, which not
	 * each attempt has.
	 */
	private static final int ATTEMPTS = 3;

	@AutoClose
	private final LockEngine engine = LockEngine.builder(new InMemoryLockStore()).build();

	@Test
	void lockAndUnlockCreateFourFuturesEach() throws JMException {
		long locking = 0;
		long unlocking = 0;
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			List<DistributedLock> locks = IntStream.range(0, CALLS)
				.mapToObj((i) -> this.engine.get("k" + i, UNRENEWED))
				.toList();
			long before = futures();
			locks.forEach(DistributedLock::lock);
			long locked = futures();
			locks.forEach(DistributedLock::unlock);
			locking = Math.max(locking, Math.round((double) (locked - before) / CALLS));
			unlocking = Math.max(unlocking, Math.round((double) (futures() - locked) / CALLS));
		}
		assertThat(locking).as("lock()").isBetween(1L, 4L);
		assertThat(unlocking).as("unlock()").isBetween(1L, 4L);
	}

	/**
	 * Returns the number of futures in the heap, with those that are garbage.
	 */
	private static long futures() throws JMException {
		String histogram = (String) ManagementFactory.getPlatformMBeanServer()
			.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
					new Object[] { new String[] { "-all" } }, new String[] { String[].class.getName() });
		return histogram.lines()
			.map((line) -> line.trim().split("\\s+"))
			.filter((words) -> words.length > 3 && words[3].equals(CompletableFuture.class.getName()))
			.mapToLong((words) -> Long.parseLong(words[1]))
			.sum();
	}

}
