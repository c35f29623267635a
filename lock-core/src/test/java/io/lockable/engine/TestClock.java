package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A nanosecond clock that the test moves. It starts shortly before its values overflow,
 * as a monotonic clock may. It stops the engine's own timer, so that due tasks run on the
 * test thread that calls the timer's tick.
 */
final class TestClock implements LongSupplier {

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000);

	private volatile Runnable onRead = () -> {
	};

	@Override
	public long getAsLong() {
		if (Thread.currentThread().getName().startsWith("lockable-timer")) {
			stop();
		}
		this.onRead.run();
		return this.nanos.get();
	}

	private static void stop() {
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			// The engine is closed.
			Thread.currentThread().interrupt();
		}
	}

	void advance(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	/**
	 * Runs an action on every thread that reads the clock, before the read, so that a
	 * test can stop the engine there.
	 * @param onRead the action
	 */
	void onRead(Runnable onRead) {
		this.onRead = onRead;
	}

}
