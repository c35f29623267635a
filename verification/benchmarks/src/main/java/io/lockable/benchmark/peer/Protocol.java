package io.lockable.benchmark.peer;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The common parts of the bare and the hand-written locks: the script that deletes a lock
 * for its owner only, owner tokens, and the sleep between attempts.
 */
final class Protocol {

	static final String COMPARE_AND_DELETE = """
			if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end""";

	private static final String INSTANCE = UUID.randomUUID().toString();

	private static final AtomicLong ACQUISITIONS = new AtomicLong();

	private Protocol() {
	}

	static String newOwner() {
		return INSTANCE + ":" + ACQUISITIONS.incrementAndGet();
	}

	@SuppressWarnings("checkstyle:noSleep")
	static void sleepBeforeRetry() throws InterruptedException {
		TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(10, 51));
	}

	static void checkAcquired(boolean acquired, String key) {
		if (!acquired) {
			throw new IllegalStateException("Lock '%s' is held, and a limit does not wait".formatted(key));
		}
	}

	static void checkReleased(boolean released, String key) {
		if (!released) {
			throw new IllegalStateException("Lock '%s' was lost before its release".formatted(key));
		}
	}

}
