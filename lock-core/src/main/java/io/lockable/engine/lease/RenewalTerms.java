package io.lockable.engine.lease;

import java.time.Duration;

import io.lockable.Internal;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.time.Deadline;

/**
 * How a lease is renewed: whether, for how long at a time, and until when.
 *
 * @param renewed whether it is renewed at all
 * @param lease for how long at a time
 * @param limited whether renewal ends before the holder does
 * @param until when renewal ends if it is limited, on the engine's clock
 */
@Internal
public record RenewalTerms(boolean renewed, Duration lease, boolean limited, long until) {

	public static RenewalTerms of(LockOptions options, long now) {
		return new RenewalTerms(options.renewal() == Renewal.ON, options.lease(),
				options.maxHold().compareTo(LockOptions.UNLIMITED) < 0, Deadline.after(now, options.maxHold()));
	}

	/**
	 * Returns the terms under which a nested call runs too: renewed if either is, for the
	 * longer lease and until the later end of those that are renewed.
	 * @param nested the terms of the nested call
	 * @return the terms for both; these ones if nothing changes
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
	 * Returns whether renewal goes on for that long.
	 * @param time how long from now
	 * @param now the time
	 * @return whether it does
	 */
	public boolean lastFor(Duration time, long now) {
		return this.renewed && (!this.limited || this.until - Deadline.after(now, time) >= 0);
	}

}
