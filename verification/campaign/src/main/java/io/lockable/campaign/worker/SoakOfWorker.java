package io.lockable.campaign.worker;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.lockable.campaign.contestant.Contestant;
import io.lockable.campaign.contestant.LockKind;
import io.lockable.harness.peer.Peer.Held;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A soak in a worker: its threads acquire and release many locks one after the other, at
 * a moderate rate and without a history.
 */
final class SoakOfWorker extends Shift {

	private static final Logger logger = LoggerFactory.getLogger(SoakOfWorker.class);

	private static final int THREADS = 4;

	private static final int LONGEST_PAUSE_MILLIS = 80;

	private static final int LONGEST_HOLD_MILLIS = 20;

	/**
	 * Each fourth attempt requests one of these keys, so that there are waiters.
	 */
	private static final int BUSY_KEYS = 8;

	private final List<LockKind> kinds;

	private final int keys;

	private final AtomicLong operations = new AtomicLong();

	SoakOfWorker(Contestant contestant, List<LockKind> kinds, int keys, long seed, int place, int workers) {
		super(contestant);
		this.kinds = kinds;
		this.keys = keys;
		for (int i = 0; i < THREADS; i++) {
			Random random = new Random(seed + i);
			int first = place * THREADS + i;
			start("campaign-soak-" + i, () -> work(first, workers * THREADS, random));
		}
	}

	@Override
	long operations() {
		return this.operations.get();
	}

	private void work(int first, int step, Random random) {
		for (int number = first; number < this.keys && !isOver(); number += step) {
			use(number, random, 1);
		}
		while (!isOver()) {
			pause(random, LONGEST_PAUSE_MILLIS);
			int choice = (random.nextInt(4) == 0) ? Math.min(BUSY_KEYS, this.keys) : this.keys;
			use(random.nextInt(choice), random, LONGEST_HOLD_MILLIS);
		}
	}

	private void use(int number, Random random, int longestHold) {
		String key = LockKind.soaked(this.kinds, number);
		try {
			Held held = this.contestant.acquire(key, LockKind.of(key).share(random), Duration.ofMillis(500));
			if (held != null) {
				pause(random, longestHold);
				held.release();
				this.operations.incrementAndGet();
			}
		}
		catch (InterruptedException | RuntimeException ex) {
			logger.warn("{} has failed", key, ex);
		}
	}

	private static void pause(Random random, int longest) {
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(longest)));
	}

}
