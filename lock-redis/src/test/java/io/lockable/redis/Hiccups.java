package io.lockable.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the delay of runnable threads on this machine. A bound in milliseconds can
 * only be tested up to this delay.
 */
final class Hiccups implements AutoCloseable {

	private static final long STEP = TimeUnit.MILLISECONDS.toNanos(1);

	/**
	 * A hand-off involves two threads on either side, the server and the observer, and
	 * each of them may be late.
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
	 * Returns a documented bound plus the measured delay of the machine.
	 * @param promise the documented bound
	 * @return the longest time that meets the bound on this machine
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
