package io.lockable.engine.shell;

import java.time.Duration;

import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.runtime.Deadline;

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
