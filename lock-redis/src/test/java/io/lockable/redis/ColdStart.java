package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockable.DistributedLock;
import io.lockable.LockException;
import io.lockable.LockOptions;

/**
 * An application whose first four calls request locks at once.
 */
public final class ColdStart {

	static final int CALLS = 4;

	private static final Duration WAIT = Duration.ofSeconds(10);

	private ColdStart() {
	}

	/**
	 * Reports the outcome of each call: its milliseconds, and its failure if there is
	 * one.
	 * @param args client, host, port, the number of keys, one of them for each call
	 * @throws Exception on any failure
	 */
	public static void main(String[] args) throws Exception {
		int keys = Integer.parseInt(args[3]);
		CountDownLatch start = new CountDownLatch(CALLS);
		ExecutorService threads = Executors.newFixedThreadPool(CALLS);
		try (Instance instance = Instance.unconnected(RedisClients.valueOf(args[0]), args[1], Integer.parseInt(args[2]),
				(builder) -> builder)) {
			LockOptions options = LockOptions.defaults().withWaitTime(WAIT);
			List<Future<String>> calls = IntStream.range(0, CALLS)
				.mapToObj((i) -> instance.get("cold-" + i % keys, options))
				.map((lock) -> threads.submit(() -> outcome(lock, start)))
				.toList();
			StringBuilder outcomes = new StringBuilder();
			for (Future<String> call : calls) {
				outcomes.append(call.get()).append(" | ");
			}
			ChildJvm.report(outcomes.toString());
		}
		threads.shutdown();
	}

	private static String outcome(DistributedLock lock, CountDownLatch start) throws InterruptedException {
		start.countDown();
		start.await();
		long begin = System.nanoTime();
		String failure = "";
		try {
			lock.run(() -> {
			});
		}
		catch (LockException ex) {
			failure = " " + ex;
		}
		return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) + " ms" + failure;
	}

}
