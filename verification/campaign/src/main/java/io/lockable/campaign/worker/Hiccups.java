package io.lockable.campaign.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the delay of runnable threads in this process or on this machine.
 */
public final class Hiccups implements AutoCloseable {

	private static final long STEP = TimeUnit.MILLISECONDS.toNanos(5);

	private final Listener listener;

	private final AtomicLong longest = new AtomicLong();

	private volatile boolean running = true;

	private Hiccups(Listener listener) {
		this.listener = listener;
		Thread thread = new Thread(this::measure, "campaign-hiccups");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Starts to measure.
	 * @param listener notified of each hiccup
	 * @return the measurement, which the caller closes
	 */
	public static Hiccups start(Listener listener) {
		return new Hiccups(listener);
	}

	/**
	 * Returns the longest hiccup since the last call.
	 * @return nanoseconds
	 */
	public long takeLongest() {
		return this.longest.getAndSet(0);
	}

	private void measure() {
		while (this.running) {
			long before = System.nanoTime();
			LockSupport.parkNanos(STEP);
			long now = System.nanoTime();
			this.longest.accumulateAndGet(now - before - STEP, Math::max);
			this.listener.stoodStill(before, now);
		}
	}

	@Override
	public void close() {
		this.running = false;
	}

	/**
	 * Notified after each step.
	 */
	@FunctionalInterface
	public interface Listener {

		/**
		 * Reports a possible pause: the process ran before and after these times, but not
		 * provably between them.
		 * @param from the start of the pause
		 * @param until the end of the pause
		 */
		void stoodStill(long from, long until);

	}

}
