package io.lockable.harness.peer;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The wait for locks without notifications: attempts with pauses of 10 to 50 ms.
 */
public final class Polling {

	private static final Duration UNLIMITED = Duration.ofDays(1);

	private Polling() {
	}

	/**
	 * Repeats attempts for a limited time.
	 * @param <T> the type of the result
	 * @param wait the longest wait
	 * @param attempt acquires the lock, or returns {@code null}
	 * @return the result of the last attempt
	 * @throws InterruptedException if the thread was interrupted between attempts
	 */
	@SuppressWarnings("checkstyle:noSleep") // no notification to wait for
	public static <T> @Nullable T until(Duration wait, Supplier<@Nullable T> attempt) throws InterruptedException {
		long deadline = System.nanoTime() + wait.toNanos();
		T held = attempt.get();
		while (held == null && System.nanoTime() - deadline < 0) {
			TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(10, 51));
			held = attempt.get();
		}
		return held;
	}

	static <T> T until(Supplier<@Nullable T> attempt) throws InterruptedException {
		return Objects.requireNonNull(until(UNLIMITED, attempt));
	}

}
