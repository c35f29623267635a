package io.lockable.spring.metadata;

import java.lang.reflect.Method;
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
import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Reads the options of a lock from one annotation, on top of the default options.
 * Durations may be expressions.
 *
 * @param method the annotated method, for messages
 * @param annotation the annotation
 * @param names the names of the arguments
 * @param templates parses expressions
 * @param defaults the default options
 * @param placeholders resolves placeholders
 */
record LockOptionsParser(Method method, DistributedLockable annotation, ArgumentNames names, TemplateParser templates,
		LockOptions defaults, UnaryOperator<String> placeholders) {

	private static final String WAIT_RANGE = "Write a wait from 0s to %s, such as waitTimeString = \"365d\"."
		.formatted(DurationText.of(DurationExpression.LONGEST));

	/**
	 * Parses the options.
	 * @param name the name of the locks
	 * @return the options for the arguments of a call
	 * @throws InvalidDistributedLockableException if an attribute cannot work
	 */
	Function<ArgumentContext, LockOptions> parse(String name) {
		DurationExpression wait = duration("waitTime", this.annotation.waitTime(), this.annotation.waitTimeString(),
				WAIT_RANGE, LockOptions::withWaitTime);
		DurationExpression lease = duration("expire", this.annotation.expire(), this.annotation.expireString(),
				"Write a lease from 10ms to 365d.", LockOptions::withLease);
		DurationExpression maxHold = duration("maxHold", this.annotation.maxHold(),
				"Write a maxHold that is not below the lease.", LockOptions::withMaxHold);
		DurationExpression minHold = duration("minHold", this.annotation.minHold(),
				"Write a minHold from zero up to the lease, or set renew = true for a longer one.",
				LockOptionsParser::withMinHold);
		DurationExpression retain = retain();
		LockOptions base = base(name, lease != null, maxHold);
		if (canRetain(base)) {
			base = base.withRetain(this.defaults.retain());
		}
		else if (retains()) {
			throw InvalidAnnotation.of(this.method,
					"%s requires an exclusive lock that is renewed and not fair".formatted(retain),
					"Remove 'retain', or leave type, permits and fair at their defaults and set renew = true.");
		}
		// In this order: neither hold may contradict the lease
		List<DurationExpression> durations = Stream.of(wait, lease, maxHold, minHold, retain)
			.filter(Objects::nonNull)
			.toList();
		boolean leaseIsKnown = lease == null || lease.computed() == null;
		try {
			return options(base, durations, (duration) -> leaseIsKnown && duration.computed() == null);
		}
		catch (InvalidExpressionException ex) {
			throw InvalidAnnotation.of(this.method, String.valueOf(ex.getMessage()), String.valueOf(ex.getAction()),
					ex.getCause());
		}
	}

	private LockOptions base(String name, boolean ownLease, @Nullable DurationExpression maxHold) {
		Renewal renewal = this.annotation.renew() ? Renewal.ON : ownLease ? Renewal.OFF : this.defaults.renewal();
		if (maxHold != null && renewal == Renewal.OFF) {
			throw InvalidAnnotation.of(this.method, "%s requires renewal, but renewal is off".formatted(maxHold),
					ownLease ? "Remove 'maxHold', or set renew = true."
							: "Remove 'maxHold', or set distributed-lock.renewal=true.");
		}
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
		return retain != null && !Duration.ZERO.equals(retain.constant());
	}

	private @Nullable DurationExpression retain() {
		return duration("retain", this.annotation.retain(), "Write a time from 0s to 365d.", LockOptions::withRetain);
	}

	private boolean canRetain(LockOptions options) {
		return this.annotation.type() == LockType.EXCLUSIVE && this.annotation.permits() == 1 && !options.fair()
				&& options.renewal() == Renewal.ON;
	}

	// A constant duration is set once
	private Function<ArgumentContext, LockOptions> options(LockOptions base, List<DurationExpression> durations,
			Predicate<DurationExpression> isConstant) {
		ArgumentContext noArguments = this.templates.bind(this.names, new Object[0]);
		LockOptions constant = base;
		for (DurationExpression duration : durations) {
			constant = isConstant.test(duration) ? duration.applyTo(constant, noArguments) : constant;
		}
		LockOptions start = constant;
		List<DurationExpression> computed = durations.stream().filter(isConstant.negate()).toList();
		return (context) -> {
			LockOptions options = start;
			for (DurationExpression duration : computed) {
				options = duration.applyTo(options, context);
			}
			return options;
		};
	}

	private static LockOptions withMinHold(LockOptions options, Duration minHold) {
		if (options.renewal() == Renewal.OFF && minHold.compareTo(options.lease()) > 0) {
			throw new InvalidExpressionException(
					"exceeds the lease of %s, but renewal is off".formatted(DurationText.of(options.lease())));
		}
		return options.withMinHold(minHold);
	}

	private @Nullable DurationExpression duration(String attribute, long number, String text, String range,
			BiFunction<LockOptions, Duration, LockOptions> setter) {
		if (number == -1) {
			return duration(attribute + "String", text, range, setter);
		}
		if (!text.isEmpty()) {
			throw InvalidAnnotation.of(this.method,
					"it has both %1$s = %2$d and %1$sString = \"%3$s\"".formatted(attribute, number, text),
					"Give one of them.");
		}
		return duration("%s = %d %s".formatted(attribute, number, this.annotation.unit()), range, setter, number);
	}

	private @Nullable DurationExpression duration(String attribute, String text, String range,
			BiFunction<LockOptions, Duration, LockOptions> setter) {
		if (text.isEmpty()) {
			return null;
		}
		String resolved = this.placeholders.apply(text);
		return duration("%s = \"%s\"".formatted(attribute, resolved), range, setter, resolved);
	}

	private DurationExpression duration(String description, String range,
			BiFunction<LockOptions, Duration, LockOptions> setter, Object value) {
		try {
			return (value instanceof String text && TemplateParser.isComputed(text))
					? new DurationExpression(description, range, this.annotation.unit(), null,
							this.templates.parse(text, this.names), setter)
					: DurationExpression.constant(description, range, value, this.annotation.unit(), setter);
		}
		catch (InvalidExpressionException ex) {
			throw InvalidAnnotation.of(this.method, description, ex, DurationExpression.FORMS);
		}
	}

}
