package io.lockable.campaign.contestant;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Polls a lock without waiters, with a sleep of 10 to 50 ms between attempts, as in
 * hand-written locks.
 */
final class Polling {

	private Polling() {
	}

	/**
	 * Polls until a lock is acquired or the wait ends.
	 * @param wait the longest wait
	 * @param attempt tries once, and returns {@code null} if another owner holds the lock
	 * @param <T> the type of a lock
	 * @return the lock, or {@code null}
	 * @throws InterruptedException if interrupted
	 */
	@SuppressWarnings("checkstyle:noSleep") // no notification to wait for
	static <T> @Nullable T until(Duration wait, Supplier<@Nullable T> attempt) throws InterruptedException {
		long deadline = System.nanoTime() + wait.toNanos();
		T held = attempt.get();
		while (held == null && System.nanoTime() - deadline < 0) {
			TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(10, 51));
			held = attempt.get();
		}
		return held;
	}

}
