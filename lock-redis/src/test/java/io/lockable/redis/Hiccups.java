package io.lockable.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures by how much this machine lets a thread run late that has nothing to wait for.
 * A promise in milliseconds can only be tested up to that.
 */
final class Hiccups implements AutoCloseable {

	private static final long STEP = TimeUnit.MILLISECONDS.toNanos(1);

	/**
	 * A hand-off takes two threads on either side, the server and the observer, and each
	 * of them may be late.
	 */
	private static final int THREADS = 6;

	private final AtomicLong longest = new AtomicLong();

	private volatile boolean running = true;

	private Hiccups() {
		Thread thread = new Thread(this::measure, "test-hiccups");
		thread.setDaemon(true);
		thread.start();
	}

	static Hiccups start() {
		return new Hiccups();
	}

	Duration longest() {
		return Duration.ofNanos(this.longest.get());
	}

	/**
	 * Returns a promised time plus what the machine may have taken of it.
	 * @param promise the promised time
	 * @return the longest time that keeps the promise here
	 */
	Duration allow(Duration promise) {
		return allow(promise, longest());
	}

	static Duration allow(Duration promise, Duration longest) {
		return promise.plus(longest.multipliedBy(THREADS));
	}

	private void measure() {
		while (this.running) {
			long before = System.nanoTime();
			LockSupport.parkNanos(STEP);
			this.longest.accumulateAndGet(System.nanoTime() - before - STEP, Math::max);
		}
	}

	@Override
	public void close() {
		this.running = false;
	}

}
