package io.lockable.autoconfigure.aop;

import java.time.Duration;
import java.util.function.BiFunction;

import io.lockable.DurationText;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * How an annotation wants its locks acquired, kept and released. Thread-safe.
 *
 * @param base what is the same for all calls
 * @param waitTime the wait, or {@code null} for that of {@code base}
 * @param lease the lease, or {@code null} for that of {@code base}
 * @param maxHold the limit of renewal, or {@code null} for that of {@code base}
 * @param minHold how long a lock is kept at least, or {@code null} for no minimum
 */
record OptionsSource(LockOptions base, @Nullable DurationExpression waitTime, @Nullable DurationExpression lease,
		@Nullable DurationExpression maxHold, @Nullable DurationExpression minHold) {

	/**
	 * Returns the options of one call.
	 * @param context the arguments of the call
	 * @return the options
	 * @throws InvalidValueException if a value is out of range
	 */
	LockOptions options(ArgumentContext context) {
		LockOptions result = this.base;
		if (this.waitTime != null) {
			result = with(result, LockOptions::withWaitTime, this.waitTime, context);
		}
		if (this.lease != null) {
			result = with(result, LockOptions::withLease, this.lease, context);
		}
		// Behind the lease, of which it must not be less
		if (this.maxHold != null) {
			result = with(result, LockOptions::withMaxHold, this.maxHold, context);
		}
		return result;
	}

	/**
	 * Returns how long a lock of one call is kept at least.
	 * @param options its options
	 * @param context the arguments of the call
	 * @return the minimum, zero for none
	 * @throws InvalidValueException if the lock would end before
	 */
	Duration minHold(LockOptions options, ArgumentContext context) {
		if (this.minHold == null) {
			return Duration.ZERO;
		}
		Duration result = this.minHold.evaluate(context);
		if (options.renewal() == Renewal.OFF && result.compareTo(options.lease()) > 0) {
			throw new InvalidValueException("%s exceeds the lease of %s, but renewal is off".formatted(this.minHold,
					DurationText.of(options.lease())));
		}
		return result;
	}

	/**
	 * Returns the same with all that is constant evaluated.
	 * @param context no arguments
	 * @return the options to use
	 * @throws InvalidValueException if a constant is out of range
	 */
	OptionsSource settle(ArgumentContext context) {
		OptionsSource settled = this;
		if (settled.waitTime != null && settled.waitTime.isConstant()) {
			LockOptions options = with(settled.base, LockOptions::withWaitTime, settled.waitTime, context);
			settled = new OptionsSource(options, null, settled.lease, settled.maxHold, settled.minHold);
		}
		if (settled.lease != null && settled.lease.isConstant()) {
			LockOptions options = with(settled.base, LockOptions::withLease, settled.lease, context);
			settled = new OptionsSource(options, settled.waitTime, null, settled.maxHold, settled.minHold);
		}
		if (settled.lease == null && settled.maxHold != null && settled.maxHold.isConstant()) {
			LockOptions options = with(settled.base, LockOptions::withMaxHold, settled.maxHold, context);
			settled = new OptionsSource(options, settled.waitTime, null, null, settled.minHold);
		}
		if (settled.lease == null && settled.minHold != null && settled.minHold.isConstant()) {
			settled.minHold(settled.base, context);
		}
		return settled;
	}

	private static LockOptions with(LockOptions options, BiFunction<LockOptions, Duration, LockOptions> setter,
			DurationExpression value, ArgumentContext context) {
		Duration duration = value.evaluate(context);
		try {
			return setter.apply(options, duration);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidValueException("%s is out of range (%s)".formatted(value, ex.getMessage()), ex);
		}
	}

}
