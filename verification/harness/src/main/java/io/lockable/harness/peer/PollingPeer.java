package io.lockable.harness.peer;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A lock without notifications: it waits by attempts with pauses of 10 to 50 ms.
 */
abstract class PollingPeer implements Peer {

	private static final Duration UNLIMITED = Duration.ofDays(1);

	/**
	 * Tries once to acquire the lock.
	 * @param key the name of the lock
	 * @return the held lock, or {@code null}
	 */
	abstract @Nullable Held tryOnce(String key);

	@Override
	public final Held lock(String key) throws InterruptedException {
		return Objects.requireNonNull(poll(key, UNLIMITED));
	}

	@Override
	public @Nullable Held tryLock(String key, Duration wait) throws InterruptedException {
		return poll(key, wait);
	}

	@SuppressWarnings("checkstyle:noSleep") // no notification to wait for
	private @Nullable Held poll(String key, Duration wait) throws InterruptedException {
		long deadline = System.nanoTime() + wait.toNanos();
		Held held = tryOnce(key);
		while (held == null && System.nanoTime() - deadline < 0) {
			TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(10, 51));
			held = tryOnce(key);
		}
		return held;
	}

}
