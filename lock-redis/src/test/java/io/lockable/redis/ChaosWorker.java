package io.lockable.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import org.awaitility.Awaitility;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A child process whose threads lock and unlock a few keys. Some of them are interrupted,
 * cancelled or time out.
 */
public final class ChaosWorker {

	private static final Logger log = LoggerFactory.getLogger(ChaosWorker.class);

	private static final int THREADS = 8;

	private static final int WARM_UP_ROUNDS = 30;

	private final Instance instance;

	private final StringRedisTemplate template;

	private final Witness witness;

	private final ScheduledExecutorService interrupter = Executors.newSingleThreadScheduledExecutor();

	private final AtomicInteger interrupted = new AtomicInteger();

	private final AtomicInteger cancelled = new AtomicInteger();

	private final AtomicInteger timedOut = new AtomicInteger();

	private ChaosWorker(Instance instance, StringRedisTemplate template) {
		this.instance = instance;
		this.template = template;
		this.witness = new Witness(template);
	}

	/**
	 * Runs the rounds and reports.
	 * @param args client, host, port, rounds, seed
	 * @throws Exception on any failure
	 */
	public static void main(String[] args) throws Exception {
		RedisClients client = RedisClients.valueOf(args[0]);
		int port = Integer.parseInt(args[2]);
		Instance instance = Instance.start(client, args[1], port, (builder) -> builder);
		StringRedisTemplate template = RedisClients.LETTUCE.connect(args[1], port);
		ChildJvm.report("ready");
		ChildJvm.awaitGoAhead();
		try {
			new ChaosWorker(instance, template).work(Integer.parseInt(args[3]), Long.parseLong(args[4]));
		}
		catch (Exception | AssertionError ex) {
			log.error("Chaos has found a fault", ex);
			Runtime.getRuntime().halt(1);
		}
	}

	private void work(int rounds, long seed) throws Exception {
		Witness warmUp = new Witness(this.template);
		try (Crew crew = new Crew()) {
			DistributedLock lock = this.instance.get("chaos-warm-up", Instance.waiting(Duration.ofSeconds(30)));
			crew.startAll(THREADS, () -> {
				for (int round = 0; round < WARM_UP_ROUNDS; round++) {
					long since = System.nanoTime();
					try (Lease lease = lock.acquire()) {
						warmUp.visit(lock.key(), lease.fencingToken(), since);
					}
				}
			});
			crew.join(Duration.ofMinutes(1));
		}
		try (Hiccups hiccups = Hiccups.start(); Crew crew = new Crew()) {
			for (int i = 0; i < THREADS; i++) {
				Random random = new Random(seed * THREADS + i);
				crew.startAll(1, () -> {
					for (int round = 0; round < rounds / THREADS; round++) {
						round(random);
					}
				});
			}
			crew.join(Duration.ofMinutes(2));
			new ChaosReport(this.witness.entries(), this.witness.overlaps(), this.witness.staleTokens(),
					this.interrupted.get(), this.cancelled.get(), this.timedOut.get(),
					this.witness.longestIdle().toMillis(), hiccups.longest().toMillis())
				.send();
		}
		Awaitility.await().atMost(Duration.ofSeconds(5)).until(ChaosWorker::isEngineIdle);
		ChildJvm.awaitGoAhead();
		close();
	}

	private void close() throws IOException {
		long start = System.nanoTime();
		this.instance.engine().close();
		ChildJvm.report(Long.toString(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)));
		ChildJvm.awaitGoAhead();
	}

	private static boolean isEngineIdle() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("lockable-worker"))
			.noneMatch((thread) -> thread.getState() == Thread.State.RUNNABLE
					|| thread.getState() == Thread.State.BLOCKED);
	}

	private void round(Random random) throws Exception {
		String key = "chaos-" + random.nextInt(4);
		DistributedLock lock = this.instance.get(key, Instance.waiting(Duration.ofSeconds(30)));
		long since = System.nanoTime();
		switch (random.nextInt(10)) {
			case 0, 1, 2 -> {
				lock.lock();
				visitAndUnlock(lock, since);
			}
			case 3, 4 -> {
				try (Lease lease = lock.acquire()) {
					this.witness.visit(key, lease.fencingToken(), since);
				}
			}
			case 5, 6 -> {
				if (lock.tryLock(random.nextInt(20_000), TimeUnit.MICROSECONDS)) {
					visitAndUnlock(lock, since);
				}
				else {
					this.timedOut.incrementAndGet();
				}
			}
			case 7, 8 -> lockInterruptibly(lock, since, random.nextInt(10_000));
			default -> acquireAsync(lock, since, random.nextInt(20_000));
		}
	}

	private void visitAndUnlock(DistributedLock lock, long since) {
		try {
			this.witness.visit(lock.key(), 0, since);
		}
		finally {
			lock.unlock();
		}
	}

	private void lockInterruptibly(DistributedLock lock, long since, int afterMicros) {
		Interrupt interrupt = new Interrupt(Thread.currentThread());
		this.interrupter.schedule(interrupt, afterMicros, TimeUnit.MICROSECONDS);
		try {
			lock.lockInterruptibly();
			interrupt.disarm();
			visitAndUnlock(lock, since);
		}
		catch (InterruptedException ex) {
			this.interrupted.incrementAndGet();
			interrupt.disarm();
		}
	}

	private void acquireAsync(DistributedLock lock, long since, int patienceMicros) throws Exception {
		CompletableFuture<Lease> future = lock.acquireAsync();
		try {
			Lease lease = future.get(patienceMicros, TimeUnit.MICROSECONDS);
			visitAndRelease(lease, since);
		}
		catch (TimeoutException ex) {
			if (future.cancel(true)) {
				this.cancelled.incrementAndGet();
			}
			else {
				visitAndRelease(future.get(), since);
			}
		}
		catch (LockNotAcquiredException ex) {
			throw new IllegalStateException("A waiter starved for 30 s", ex);
		}
	}

	private void visitAndRelease(Lease lease, long since) {
		try (lease) {
			this.witness.visit(lease.key(), lease.fencingToken(), since);
		}
	}

	/**
	 * An interrupt that may come too late to have an effect.
	 */
	private static final class Interrupt implements Runnable {

		private final Thread thread;

		private boolean armed = true;

		Interrupt(Thread thread) {
			this.thread = thread;
		}

		@Override
		public synchronized void run() {
			if (this.armed) {
				this.thread.interrupt();
			}
		}

		synchronized void disarm() {
			this.armed = false;
			Thread.interrupted();
		}

	}

}
