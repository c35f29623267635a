package io.lockable.campaign.contestant;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Waits for locks that are tried once: a sleep of 10 to 50 ms between two tries, as
 * everybody writes it by hand.
 */
final class Polling {

	private Polling() {
	}

	/**
	 * Tries until a lock is there or the wait is over.
	 * @param wait how long to try
	 * @param attempt tries once, and returns {@code null} if another one holds the lock
	 * @param <T> the type of a lock
	 * @return the lock, or {@code null}
	 * @throws InterruptedException if interrupted
	 */
	@SuppressWarnings("checkstyle:noSleep") // there is nothing else to wait for
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
