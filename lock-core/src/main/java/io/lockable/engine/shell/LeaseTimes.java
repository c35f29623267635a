package io.lockable.engine.shell;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.runtime.Deadline;
import io.lockable.engine.runtime.Timer;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * The times of a lease, on the clock of the engine: its start, local deadline, renewal,
 * and minimum and maximum hold.
 *
 * <p>
 * Thread-safe: the steps of the {@link KeyShell} and the {@link RenewalScheduler} write
 * the times, and any thread reads them.
 */
public final class LeaseTimes {

	private static final Duration SHORTEST_EXTENSION = Duration.ofMillis(1);

	private static final long CAP_ALLOWANCE = TimeUnit.MILLISECONDS.toNanos(5);

	private final long since;

	private final RenewalTerms own;

	// Accessed only by the thread that holds the lock.
	private final List<RenewalTerms> nested = new ArrayList<>(0);

	private volatile RenewalTerms terms;

	private volatile long heldUntilAtLeast;

	private volatile long deadline;

	private volatile long renewAt;

	// Whether the store still has to receive the lease of a holder without renewal.
	private volatile boolean first;

	// Whether a renewal is unanswered.
	private volatile boolean renewing;

	private final Timer timer;

	LeaseTimes(LockOptions options, long deadline, long now, Timer timer) {
		this.timer = timer;
		this.since = now;
		this.own = RenewalTerms.of(options, now);
		this.terms = this.own;
		this.heldUntilAtLeast = Deadline.after(now, options.minHold());
		this.deadline = deadline;
		this.renewAt = now + options.lease().toNanos() / 3;
	}

	/**
	 * Validates the time of an extension.
	 * @param lease the time
	 * @throws IllegalArgumentException if it is out of range
	 */
	public static void checkExtension(Duration lease) {
		DurationText.requireBetween("lease", lease, SHORTEST_EXTENSION, LockOptions.MAX_LEASE);
	}

	/**
	 * Validates the time for which a lock stays locked.
	 * @param rest the time
	 * @throws IllegalArgumentException if it is out of range
	 */
	public static void checkRest(Duration rest) {
		DurationText.requireBetween("rest", rest, Duration.ZERO, LockOptions.MAX_LEASE);
	}

	public Duration held(long now) {
		return Duration.ofNanos(Math.max(0, now - this.since));
	}

	// The local deadline

	public Duration remaining(long now) {
		return Duration.ofNanos(Math.max(0, this.deadline - now));
	}

	boolean isOver(long now) {
		return this.deadline - now <= 0;
	}

	/**
	 * Publishes the local deadline of the key.
	 * @param newDeadline the local deadline
	 */
	void validUntil(long newDeadline) {
		if (newDeadline != this.deadline) {
			this.deadline = newDeadline;
			renewInTime();
			moved();
		}
	}

	/**
	 * Returns the reason of the loss of a lease whose local deadline has passed.
	 * @return the reason
	 */
	LockLost.Reason reasonOfEnd() {
		boolean capped = this.terms.renewed() && isCapped();
		return capped ? LockLost.Reason.MAX_HOLD : LockLost.Reason.EXPIRED;
	}

	// The renewal

	/**
	 * Adds the terms of a nested call to the renewal, until {@link #leave}.
	 * @param call the terms of the nested call
	 */
	public void enter(RenewalTerms call) {
		this.nested.add(call);
		combineTerms();
	}

	/**
	 * Removes the terms of a completed nested call from the renewal.
	 * @param call the terms of the nested call
	 */
	public void leave(RenewalTerms call) {
		this.nested.remove(call);
		combineTerms();
	}

	private void combineTerms() {
		RenewalTerms combined = this.own;
		for (RenewalTerms each : this.nested) {
			combined = combined.with(each);
		}
		if (!combined.equals(this.terms)) {
			this.terms = combined;
			if (!this.first) {
				renewInTime();
			}
		}
		moved();
	}

	/**
	 * Returns the current terms of renewal.
	 * @return the terms
	 */
	public RenewalTerms terms() {
		return this.terms;
	}

	/**
	 * Schedules the renewal after a third of the lease.
	 */
	private void renewInTime() {
		this.renewAt = this.deadline - this.terms.lease().toNanos() * 2 / 3;
	}

	/**
	 * Schedules the extension of a lease that is shorter than the holder requested: the
	 * first renewal after a third of the grant, so that a short hold sends none. Without
	 * renewal, the lease is extended once, immediately.
	 * @param grant the lease that the grant set
	 * @param now the time
	 */
	void extendFirst(Duration grant, long now) {
		this.first = !this.terms.renewed();
		this.renewAt = this.first ? now : this.deadline - grant.toNanos() * 2 / 3;
	}

	/**
	 * Records an extension by the store.
	 * @return whether this was the first one after a grant, and not a renewal
	 */
	boolean extended() {
		boolean initial = this.first;
		this.first = false;
		return initial;
	}

	void renewNotBefore(long time) {
		this.renewAt = time;
		moved();
	}

	/**
	 * Records whether a renewal is unanswered, during which no other is sent.
	 * @param unanswered whether one is
	 */
	void renewing(boolean unanswered) {
		this.renewing = unanswered;
		moved();
	}

	/**
	 * Returns whether to renew the lease now, or together with leases that are due now.
	 * @param now the time
	 * @return whether at most a sixth of the lease is left until its renewal
	 */
	boolean isRenewableSoon(long now) {
		return isRenewable() && !this.renewing && this.renewAt - now <= this.terms.lease().toNanos() / 6;
	}

	/**
	 * Returns the latest time of the next action on the lease.
	 * @return the time to renew it, or to notify its loss
	 */
	long nextStep() {
		boolean renews = isRenewable() && !this.renewing;
		return renews ? Deadline.earlier(this.renewAt, this.deadline) : this.deadline;
	}

	private void moved() {
		this.timer.wakeAt(nextStep());
	}

	long renewAt() {
		return this.renewAt;
	}

	/**
	 * Returns whether the lease is to be renewed: renewal is on and below its limit, or
	 * the first extension is pending.
	 * @return whether to renew it
	 */
	public boolean isRenewable() {
		return this.first || (this.terms.renewed() && !isCapped());
	}

	/**
	 * Returns the lease that a renewal sets, limited by the maximum hold. Without
	 * renewal, it is at least the holder's own lease, even within a nested call.
	 * @param now the time
	 * @return the lease to set
	 */
	Duration nextLease(long now) {
		RenewalTerms current = this.terms;
		long left = current.until() - now;
		long lease = Math.min(current.lease().toNanos(), left);
		long least = this.first ? this.own.lease().toNanos() : 0;
		return Duration.ofMillis(Math.max(1, Math.max(lease, least) / 1_000_000));
	}

	/**
	 * The last renewal ends at the maximum hold, and its local deadline shortly before.
	 */
	private boolean isCapped() {
		RenewalTerms current = this.terms;
		long allowance = Math.max(CAP_ALLOWANCE, current.lease().toNanos() / 20);
		return current.until() - this.deadline <= allowance;
	}

	// The minimum hold

	public void holdAtLeastUntil(long time) {
		this.heldUntilAtLeast = time;
	}

	public long heldUntilAtLeast() {
		return this.heldUntilAtLeast;
	}

	/**
	 * Returns the time until which a lock that is released now stays locked.
	 * @param now the time
	 * @return the time, or {@code null} if it was held long enough
	 */
	@Nullable Long keptUntil(long now) {
		long until = this.heldUntilAtLeast;
		return (until - now <= 0) ? null : until;
	}

	/**
	 * The terms by which a lease is renewed.
	 *
	 * @param renewed whether it is renewed at all
	 * @param lease the lease that each renewal sets
	 * @param limited whether renewal may end before the hold
	 * @param until the end of a limited renewal, on the engine's clock
	 */
	public record RenewalTerms(boolean renewed, Duration lease, boolean limited, long until) {

		public static RenewalTerms of(LockOptions options, long now) {
			return new RenewalTerms(options.renewal() == Renewal.ON, options.lease(),
					options.maxHold().compareTo(LockOptions.UNLIMITED) < 0, Deadline.after(now, options.maxHold()));
		}

		/**
		 * Returns the terms that also cover a nested call. The lease is renewed if either
		 * call requires it, for the longer lease, and until the later end of the renewed
		 * ones.
		 * @param nested the terms of the nested call
		 * @return the terms for both; these terms if nothing changes
		 */
		public RenewalTerms with(RenewalTerms nested) {
			if (!nested.renewed) {
				return this;
			}
			if (!this.renewed) {
				return nested;
			}
			boolean longEnough = this.lease.compareTo(nested.lease) >= 0;
			boolean lateEnough = !this.limited || (nested.limited && this.until - nested.until >= 0);
			if (longEnough && lateEnough) {
				return this;
			}
			return new RenewalTerms(true, longEnough ? this.lease : nested.lease, this.limited && nested.limited,
					Deadline.later(this.until, nested.until));
		}

		/**
		 * Returns whether renewal lasts for the given time.
		 * @param time the time from now
		 * @param now the time
		 * @return whether it does
		 */
		public boolean lastFor(Duration time, long now) {
			return this.renewed && (!this.limited || this.until - Deadline.after(now, time) >= 0);
		}

	}

}
