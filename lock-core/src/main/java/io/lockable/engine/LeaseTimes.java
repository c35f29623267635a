package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.Renewal;

/**
 * The times of a lease, on the clock of the engine: since when it is held, until when it
 * is valid here, when it is renewed, and for how long it is held at least and at most.
 *
 * <p>
 * Thread-safe: moved by the steps of the {@link LockQueue} and by the
 * {@link LeaseKeeper}, read by everybody.
 */
final class LeaseTimes {

	private static final long CAP_ALLOWANCE = TimeUnit.MILLISECONDS.toNanos(5);

	private final LockOptions options;

	private final long since;

	private final long heldUntilAtMost;

	private volatile long heldUntilAtLeast;

	private volatile long deadline;

	private volatile long renewAt;

	LeaseTimes(LockOptions options, long deadline, long now) {
		this.options = options;
		this.since = now;
		this.heldUntilAtMost = Deadline.after(now, options.maxHold());
		this.heldUntilAtLeast = Deadline.after(now, options.minHold());
		this.deadline = deadline;
		this.renewAt = now + options.lease().toNanos() / 3;
	}

	Duration held(long now) {
		return Duration.ofNanos(Math.max(0, now - this.since));
	}

	// The local deadline

	Duration remaining(long now) {
		return Duration.ofNanos(Math.max(0, this.deadline - now));
	}

	boolean isOver(long now) {
		return this.deadline - now <= 0;
	}

	/**
	 * Moves the local deadline.
	 * @param newDeadline the local deadline
	 */
	void validUntil(long newDeadline) {
		this.deadline = newDeadline;
	}

	long deadline() {
		return this.deadline;
	}

	/**
	 * Returns why a lease whose local deadline has passed is lost.
	 * @return the reason
	 */
	LockLost.Reason reasonOfEnd() {
		boolean capped = this.options.renewal() == Renewal.ON && isCapped();
		return capped ? LockLost.Reason.MAX_HOLD : LockLost.Reason.EXPIRED;
	}

	// The renewal

	/**
	 * Lets it be renewed when a third of the lease has passed.
	 */
	void renewInTime() {
		this.renewAt = this.deadline - this.options.lease().toNanos() * 2 / 3;
	}

	void renewNotBefore(long time) {
		this.renewAt = time;
	}

	long renewAt() {
		return this.renewAt;
	}

	/**
	 * Returns whether the lease is renewed, and not yet for as long as it may be held.
	 * @return whether to renew it
	 */
	boolean isRenewable() {
		return this.options.renewal() == Renewal.ON && !isCapped();
	}

	/**
	 * Returns for how long to renew: the lease, but not beyond the longest hold.
	 * @param now the time
	 * @return the lease to set
	 */
	Duration nextLease(long now) {
		long left = this.heldUntilAtMost - now;
		long lease = this.options.lease().toNanos();
		return Duration.ofMillis(Math.max(1, Math.min(lease, left) / 1_000_000));
	}

	/**
	 * The last renewal ends at the longest hold, and its local deadline a little before.
	 */
	private boolean isCapped() {
		long allowance = Math.max(CAP_ALLOWANCE, this.options.lease().toNanos() / 20);
		return this.heldUntilAtMost - this.deadline <= allowance;
	}

	// The shortest hold

	void holdAtLeastUntil(long time) {
		this.heldUntilAtLeast = time;
	}

	long heldUntilAtLeast() {
		return this.heldUntilAtLeast;
	}

	boolean isHeldLongEnough(long now) {
		return this.heldUntilAtLeast - now <= 0;
	}

}
