package io.lockable.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.LockEngine;
import io.lockable.redis.Belief.Share;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A child process whose threads contend for a few locks of each kind and record their
 * beliefs to hold them. The test pauses the whole process meanwhile.
 */
public final class PauseWorker {

	static final int PERMITS = 2;

	/**
	 * After each pause, every lock is one chance that a stale message meets a new answer.
	 * The more messages are read at once, the later the last one is read.
	 */
	private static final int LOCKS = 8;

	private static final Duration WAIT = Duration.ofSeconds(5);

	static final int LONGEST_HOLD_MILLIS = 60;

	private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

	private final Instance instance;

	private final Queue<Belief> beliefs = new ConcurrentLinkedQueue<>();

	private final AtomicInteger acquired = new AtomicInteger();

	private final AtomicInteger lost = new AtomicInteger();

	private final AtomicInteger failed = new AtomicInteger();

	private PauseWorker(Instance instance) {
		this.instance = instance;
	}

	/**
	 * Contends and reports.
	 * @param args client, host, port, milliseconds, seed, file for the beliefs, waiter
	 * timeout in milliseconds
	 * @throws Exception on any failure
	 */
	public static void main(String[] args) throws Exception {
		StringRedisTemplate template = RedisClients.valueOf(args[0]).connect(args[1], Integer.parseInt(args[2]));
		RedisLockStore store = new RedisLockStore(template, Acknowledgements.of(Replicas.NONE),
				Duration.ofMillis(Long.parseLong(args[6])));
		template.hasKey("connected");
		Instance instance = new Instance(template, LockEngine.builder(store).build());
		instance.get(Instance.newKey()).run(() -> {
		});
		ChildJvm.report("ready");
		ChildJvm.awaitGoAhead();
		PauseWorker worker = new PauseWorker(instance);
		worker.work(Duration.ofMillis(Long.parseLong(args[3])), Long.parseLong(args[4]));
		worker.report(Path.of(args[5]));
		ChildJvm.awaitGoAhead();
	}

	private void work(Duration time, long seed) throws Exception {
		long end = System.nanoTime() + time.toNanos();
		try (Crew crew = new Crew()) {
			for (Kind kind : Kind.values()) {
				for (int i = 0; i < LOCKS * kind.threads; i++) {
					Random random = new Random(seed++);
					String key = kind + "-" + i % LOCKS;
					crew.startAll(1, () -> contend(kind, key, random, end));
				}
			}
			crew.join(time.plusSeconds(60));
		}
	}

	private void contend(Kind kind, String key, Random random, long end) throws InterruptedException {
		while (System.nanoTime() < end) {
			LockOptions options = LockOptions.defaults()
				.withLease(Duration.ofMillis(500 + random.nextInt(1500)))
				.withWaitTime(WAIT)
				.withFair(kind == Kind.FAIR)
				.withRenewal(random.nextBoolean() ? Renewal.ON : Renewal.OFF);
			Share share = kind.share(random);
			try {
				Optional<Lease> lease = kind.acquire(this.instance, key, share, options);
				// Few threads hold their lock until it is lost, so that the others can
				// acquire it.
				int millis = (random.nextInt(60) == 0) ? 3000 : 10 + random.nextInt(LONGEST_HOLD_MILLIS - 10);
				lease.ifPresent((held) -> hold(key, share, held, Duration.ofMillis(millis)));
			}
			catch (LockNotAcquiredException ex) {
				// timed out
			}
			catch (LockException ex) {
				this.failed.incrementAndGet();
			}
		}
	}

	private void hold(String key, Share share, Lease lease, Duration time) {
		try (lease) {
			this.acquired.incrementAndGet();
			long start = System.nanoTime();
			long from = Long.MAX_VALUE;
			long until = Long.MIN_VALUE;
			long before = start;
			while (before - start <= time.toNanos()) {
				if (!lease.isHeld()) {
					this.lost.incrementAndGet();
					break;
				}
				from = Math.min(from, System.nanoTime());
				until = before;
				LockSupport.parkNanos(SAMPLE_NANOS);
				before = System.nanoTime();
			}
			if (until > from) {
				this.beliefs.add(new Belief(key, share, lease.owner(), lease.fencingToken(), from, until));
			}
		}
	}

	private void report(Path file) throws IOException {
		Files.write(file, this.beliefs.stream().map(Belief::line).toList());
		ChildJvm.report(this.acquired + " " + this.lost + " " + this.failed);
	}

	/**
	 * The kinds of locks.
	 */
	enum Kind {

		/**
		 * One holder, in any order.
		 */
		EXCLUSIVE(1),

		/**
		 * One holder, in the order of arrival.
		 */
		FAIR(1),

		/**
		 * Readers or a writer.
		 */
		READ_WRITE(1),

		/**
		 * A semaphore.
		 */
		PERMITS(2);

		private final int threads;

		Kind(int threads) {
			this.threads = threads;
		}

		private Share share(Random random) {
			return switch (this) {
				case EXCLUSIVE, FAIR -> Share.EXCLUSIVE;
				case READ_WRITE -> (random.nextInt(3) == 0) ? Share.EXCLUSIVE : Share.READ;
				case PERMITS -> Share.PERMIT;
			};
		}

		private Optional<Lease> acquire(Instance instance, String key, Share share, LockOptions options)
				throws InterruptedException {
			if (this == PERMITS) {
				return instance.engine().getSemaphore(key, PauseWorker.PERMITS, options).tryAcquire(WAIT);
			}
			if (share == Share.READ) {
				return instance.engine().getReadWriteLock(key, options).readLock().tryAcquire(WAIT);
			}
			return instance.get(key, options).tryAcquire(WAIT);
		}

	}

}
