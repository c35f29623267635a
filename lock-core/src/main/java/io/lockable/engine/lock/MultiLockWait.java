package io.lockable.engine.lock;

import java.time.Duration;

import io.lockable.DurationText;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.runtime.Deadline;
import io.lockable.engine.shell.KeyShells;

/**
 * The single deadline of a call that acquires several locks.
 */
final class MultiLockWait {

	private final LockOptions options;

	private final KeyShells shells;

	private final long deadline;

	MultiLockWait(LockOptions options, KeyShells shells) {
		this.options = options;
		this.shells = shells;
		this.deadline = Deadline.after(shells.now(), options.waitTime());
	}

	boolean isOver() {
		return this.deadline - this.shells.now() <= 0;
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
		long left = this.options.waitTime().isZero() ? 0 : Math.max(0, this.deadline - this.shells.now());
		return this.options.withWaitTime(Duration.ofNanos(left));
	}

}
