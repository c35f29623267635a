package io.lockable.simulation;

import java.util.List;

import io.lockable.Lease;
import io.lockable.engine.shell.LocalLease;
import org.jspecify.annotations.Nullable;

/**
 * A lease that a caller has received, as the invariants see it.
 */
final class Held {

	private static final long LOSS_BOUND = 1_000_000_000;

	private final Instance instance;

	private final Lease lease;

	private final List<String> keys;

	private final int permits;

	private boolean released;

	private long releasedAt;

	// The last time at which the lease was valid, and the end of it that was known then.
	private long validAt;

	private long deadline;

	private @Nullable String loss;

	private long invalidAt;

	/**
	 * Records a lease.
	 * @param instance the instance of its holder
	 * @param lease the lease
	 * @param permits the number of holders that may share the lock; 0 for an exclusive
	 * lease
	 */
	Held(Instance instance, Lease lease, int permits) {
		this.instance = instance;
		this.lease = lease;
		this.keys = lease.keys();
		this.permits = permits;
	}

	Instance instance() {
		return this.instance;
	}

	Lease lease() {
		return this.lease;
	}

	List<String> keys() {
		return this.keys;
	}

	int permits() {
		return this.permits;
	}

	boolean isExclusive() {
		return this.permits == 0;
	}

	/**
	 * Returns whether the lease is valid on its holder's own clock.
	 * @return whether the holder may work
	 */
	boolean isValid() {
		return !this.released && !this.instance.isDead() && this.lease.isHeld();
	}

	/**
	 * Records that the lease is valid.
	 * @param now the time of the simulation
	 */
	void valid(long now) {
		this.validAt = now;
		this.deadline = now + this.lease.remaining().toNanos();
	}

	boolean wasValid() {
		return this.validAt > 0;
	}

	/**
	 * Returns the end of the lease that the holder knew when it was last valid.
	 * @return the time of the simulation, to less than a hundredth of the lease
	 */
	long deadline() {
		return this.deadline;
	}

	/**
	 * Records that the caller releases the lease.
	 * @param now the time
	 */
	void release(long now) {
		this.released = true;
		this.releasedAt = now;
	}

	long releasedAt() {
		return this.releasedAt;
	}

	/**
	 * Returns the earliest end of the lock after the release. A holder that entered under
	 * the longer lease of an earlier one is named to the server later, with its own
	 * lease.
	 * @return the time of the simulation
	 */
	long endAfterRelease() {
		return (this.lease instanceof LocalLease local)
				? Math.min(this.deadline, this.releasedAt + local.options().lease().toNanos()) : this.deadline;
	}

	boolean isReleased() {
		return this.released;
	}

	void lost(String reason) {
		this.loss = reason;
	}

	@Nullable String loss() {
		return this.loss;
	}

	/**
	 * Records that the lease is not valid any more, although the caller has not released
	 * it.
	 * @param now the time
	 */
	void seenInvalid(long now) {
		if (this.invalidAt == 0) {
			this.invalidAt = now;
		}
	}

	/**
	 * Returns whether the lease ended before the deadline that its holder knew.
	 * @return whether something must have taken the lock
	 */
	boolean endedEarly() {
		return this.invalidAt > 0 && this.invalidAt < this.deadline - 1_000_000;
	}

	/**
	 * Returns whether the holder should have been notified of the end.
	 * @param now the time
	 * @return whether the notification is late
	 */
	boolean isLossLate(long now) {
		return this.invalidAt > 0 && this.loss == null && !this.released
				&& now - Math.max(this.invalidAt, this.instance.disturbedUntil()) > LOSS_BOUND;
	}

	@Override
	public String toString() {
		return this.lease.owner() + ((this.permits == 0) ? "" : " (share)") + " of " + this.keys;
	}

}
