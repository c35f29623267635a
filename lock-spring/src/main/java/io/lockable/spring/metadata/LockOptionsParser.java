package io.lockable.spring.metadata;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.LockType;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Reads the options of a lock from one annotation, on top of the default options.
 * Durations may be expressions.
 *
 * @param annotation the annotation
 * @param names the names of the arguments
 * @param templates parses expressions
 * @param defaults the default options
 * @param placeholders resolves placeholders
 */
record LockOptionsParser(DistributedLockable annotation, ArgumentNames names, TemplateParser templates,
		LockOptions defaults, UnaryOperator<String> placeholders) {

	/**
	 * Parses the options.
	 * @param name the name of the locks
	 * @return the options for the arguments of a call
	 * @throws InvalidExpressionException if an attribute cannot work; it has an action
	 */
	Function<ArgumentContext, LockOptions> parse(String name) {
		DurationExpression wait = duration("waitTimeString", this.annotation.waitTime(),
				this.annotation.waitTimeString(), LockOptions::withWaitTime);
		DurationExpression lease = duration("expireString", this.annotation.expire(), this.annotation.expireString(),
				LockOptions::withLease);
		DurationExpression maxHold = duration("maxHold", -1, this.annotation.maxHold(), LockOptions::withMaxHold);
		DurationExpression minHold = duration("minHold", -1, this.annotation.minHold(), LockOptionsParser::withMinHold);
		DurationExpression retain = retain();
		LockOptions base = base(name, lease != null, maxHold);
		if (canRetain(base)) {
			base = base.withRetain(this.defaults.retain());
		}
		else if (retains()) {
			throw new InvalidExpressionException(
					"%s requires an exclusive lock that is renewed and not fair".formatted(retain),
					"Remove 'retain', or leave type, permits and fair at their defaults and set renew = true.");
		}
		// In this order: neither hold may contradict the lease
		List<DurationExpression> durations = Stream.of(wait, lease, maxHold, minHold, retain)
			.filter(Objects::nonNull)
			.toList();
		Predicate<DurationExpression> isConstant = (duration) -> !duration.isComputed()
				&& (lease == null || !lease.isComputed());
		// Set once, not for each call
		LockOptions constant = apply(durations.stream().filter(isConstant).toList(), base,
				this.templates.bind(this.names, new Object[0]));
		List<DurationExpression> computed = durations.stream().filter(isConstant.negate()).toList();
		return (context) -> apply(computed, constant, context);
	}

	private LockOptions base(String name, boolean ownLease, @Nullable DurationExpression maxHold) {
		Renewal renewal = this.annotation.renew() ? Renewal.ON : ownLease ? Renewal.OFF : this.defaults.renewal();
		InvalidExpressionException.throwIf(maxHold != null && renewal == Renewal.OFF,
				"%s requires renewal, but renewal is off".formatted(maxHold),
				ownLease ? "Remove 'maxHold', or set renew = true."
						: "Remove 'maxHold', or set distributed-lock.renewal=true.");
		LockOptions base = this.defaults.withName(name).withRetain(Duration.ZERO).withFair(this.annotation.fair());
		if (maxHold != null || renewal == Renewal.OFF) {
			// The default does not apply, and may be shorter than the lease
			base = base.withMaxHold(LockOptions.UNLIMITED);
		}
		return base.withRenewal(renewal);
	}

	/**
	 * Returns whether the annotation itself enables retention of the lock.
	 * @return {@code false} if only the defaults may enable it
	 */
	boolean retains() {
		DurationExpression retain = retain();
		return retain != null && !Duration.ZERO.equals(retain.value());
	}

	private @Nullable DurationExpression retain() {
		return duration("retain", -1, this.annotation.retain(), LockOptions::withRetain);
	}

	private boolean canRetain(LockOptions options) {
		return this.annotation.type() == LockType.EXCLUSIVE && this.annotation.permits() == 1 && !options.fair()
				&& options.renewal() == Renewal.ON;
	}

	private static LockOptions apply(List<DurationExpression> durations, LockOptions base, ArgumentContext context) {
		LockOptions options = base;
		for (DurationExpression duration : durations) {
			options = duration.applyTo(options, context);
		}
		return options;
	}

	private static LockOptions withMinHold(LockOptions options, Duration minHold) {
		if (options.renewal() == Renewal.OFF && minHold.compareTo(options.lease()) > 0) {
			throw new IllegalArgumentException(
					"'minHold' must not exceed the lease of %s, because renewal is off, was %s"
						.formatted(DurationText.of(options.lease()), DurationText.of(minHold)));
		}
		return options.withMinHold(minHold);
	}

	private @Nullable DurationExpression duration(String attribute, long number, String text,
			BiFunction<LockOptions, Duration, LockOptions> setter) {
		boolean isNumber = number != -1;
		String twin = attribute.replace("String", "");
		InvalidExpressionException.throwIf(isNumber && !text.isEmpty(),
				"it has both %s = %d and %s = \"%s\"".formatted(twin, number, attribute, text), "Give one of them.");
		if (!isNumber && text.isEmpty()) {
			return null;
		}
		String resolved = this.placeholders.apply(text);
		String description = isNumber ? "%s = %d %s".formatted(twin, number, this.annotation.unit())
				: "%s = \"%s\"".formatted(attribute, resolved);
		try {
			Object value = isNumber ? number
					: TemplateParser.isComputed(resolved) ? this.templates.parse(resolved, this.names) : resolved;
			return DurationExpression.of(description, this.annotation.unit(), value, setter);
		}
		catch (InvalidExpressionException ex) {
			throw ex.about(description + ":", DurationExpression.FORMS);
		}
	}

}
