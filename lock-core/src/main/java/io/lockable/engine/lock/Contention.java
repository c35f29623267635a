package io.lockable.engine.lock;

import io.lockable.DurationText;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;

/**
 * The outcome of an acquisition while another owner holds the lock.
 */
final class Contention {

	private Contention() {
	}

	static LockNotAcquiredException notAcquired(String key, LockOptions options) {
		return new LockNotAcquiredException(
				options.waitTime().isZero() ? "Lock '%s' is held by another owner".formatted(key)
						: "Lock '%s' was not acquired within %s: another owner holds it".formatted(key,
								DurationText.of(options.waitTime())));
	}

}
