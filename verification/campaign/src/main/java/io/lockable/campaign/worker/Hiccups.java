package io.lockable.campaign.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

import io.lockable.harness.process.Daemon;

/**
 * Measures the delay of runnable threads in this process or on this machine.
 */
public final class Hiccups implements AutoCloseable {

	private static final long STEP = TimeUnit.MILLISECONDS.toNanos(5);

	private final BiConsumer<Long, Long> listener;

	private final AtomicLong longest = new AtomicLong();

	private volatile boolean running = true;

	/**
	 * Starts to measure.
	 * @param listener receives the start and the end of each step
	 */
	public Hiccups(BiConsumer<Long, Long> listener) {
		this.listener = listener;
		Daemon.start("campaign-hiccups", this::measure);
	}

	/**
	 * Returns the longest pause since the last call.
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
			this.listener.accept(before, now);
		}
	}

	@Override
	public void close() {
		this.running = false;
	}

}
