package io.lockable.harness.peer;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A lock without notifications, on a template: it waits by attempts with pauses of 10 to
 * 50 ms.
 */
abstract class PollingPeer implements Peer {

	private static final Duration UNLIMITED = Duration.ofDays(1);

	final StringRedisTemplate template;

	PollingPeer(Setup setup) {
		this.template = Client.LETTUCE.connect(setup);
	}

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

	@Override
	public final void close() {
		Client.disconnect(this.template);
	}

}
