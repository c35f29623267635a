package io.lockable.engine.lock;

import java.time.Duration;

import io.lockable.DurationText;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.lease.LocalQueues;
import io.lockable.engine.runtime.Deadline;

/**
 * The single deadline of a call that acquires several locks.
 */
final class AllWait {

	private final LockOptions options;

	private final LocalQueues queues;

	private final long deadline;

	AllWait(LockOptions options, LocalQueues queues) {
		this.options = options;
		this.queues = queues;
		this.deadline = Deadline.after(queues.now(), options.waitTime());
	}

	boolean isOver() {
		return this.deadline - this.queues.now() <= 0;
	}

	/**
	 * Returns the failure of a command that acquired all locks, and was answered after
	 * their leases.
	 * @param key the names of the locks
	 * @return the failure
	 */
	LockStoreException answeredLate(String key) {
		return new LockStoreException(
				"The store answered for lock '%s' only after its lease of %s expired: use a longer lease".formatted(key,
						DurationText.of(this.options.lease())),
				null);
	}

	/**
	 * Returns the options for the next lock, with the rest of the wait: exactly one try
	 * if none is left.
	 * @return the options
	 */
	LockOptions left() {
		long left = this.options.waitTime().isZero() ? 0 : Math.max(0, this.deadline - this.queues.now());
		return this.options.withWaitTime(Duration.ofNanos(left));
	}

}
