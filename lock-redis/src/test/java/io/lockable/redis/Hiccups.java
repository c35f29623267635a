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
	 * Returns a promised time plus what the machine took.
	 * @param promise the promised time
	 * @return the longest time that keeps the promise here
	 */
	Duration allow(Duration promise) {
		return promise.plus(longest());
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
