package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A nanosecond clock that moves when the test says so. It starts shortly before its
 * values overflow, as a monotonic clock may.
 */
final class TestClock implements LongSupplier {

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000);

	private volatile Runnable onRead = () -> {
	};

	@Override
	public long getAsLong() {
		this.onRead.run();
		return this.nanos.get();
	}

	void advance(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	/**
	 * Runs an action on every thread that reads the clock, before it does: where the
	 * engine looks at the time, a test can stop it.
	 * @param onRead the action
	 */
	void onRead(Runnable onRead) {
		this.onRead = onRead;
	}

}
