package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.lockable.DurationText;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.LockType;
import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.spring.expression.ArgumentContext;
import io.lockable.spring.expression.ArgumentNames;
import io.lockable.spring.expression.DurationExpression;
import io.lockable.spring.expression.InvalidExpressionException;
import io.lockable.spring.expression.TemplateParser;
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

	private static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

	/**
	 * Parses the options.
	 * @param name the name of the locks
	 * @return the options for the arguments of a call
	 * @throws InvalidDistributedLockableException if an attribute cannot work
	 */
	Function<ArgumentContext, LockOptions> parse(String name) {
		DurationExpression wait = duration("waitTime", this.annotation.waitTime(), this.annotation.waitTimeString(),
				LockOptions::withWaitTime);
		DurationExpression lease = duration("expire", this.annotation.expire(), this.annotation.expireString(),
				LockOptions::withLease);
		DurationExpression maxHold = duration("maxHold", this.annotation.maxHold(), LockOptions::withMaxHold);
		DurationExpression minHold = duration("minHold", this.annotation.minHold(), LockOptionsParser::withMinHold);
		DurationExpression retain = retain();
		Renewal renewal = (lease != null) ? Renewal.OFF : this.defaults.renewal();
		if (this.annotation.renew()) {
			renewal = Renewal.ON;
		}
		if (maxHold != null && renewal == Renewal.OFF) {
			throw InvalidAnnotation.of(this.method, "%s requires renewal, but renewal is off".formatted(maxHold),
					(lease == null) ? "Remove 'maxHold', or set distributed-lock.renewal=true."
							: "Remove 'maxHold', or set renew = true.");
		}
		LockOptions base = this.defaults.withName(name).withRetain(Duration.ZERO).withFair(this.annotation.fair());
		if (maxHold != null || renewal == Renewal.OFF) {
			// The default does not apply, and may be shorter than the lease
			base = base.withMaxHold(LockOptions.UNLIMITED);
		}
		base = base.withRenewal(renewal);
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
		try {
			if (lease != null && !lease.isConstant()) {
				// Limits that no lease of any call satisfies
				check(maxHold, base, SHORTEST_LEASE);
				check(minHold, base, LockOptions.MAX_LEASE);
				check(retain, base, LockOptions.MAX_LEASE);
			}
			return options(base, durations, lease == null || lease.isConstant(),
					this.templates.bind(this.names, new Object[0]));
		}
		catch (InvalidExpressionException ex) {
			String problem = String.valueOf(ex.getMessage());
			throw InvalidAnnotation.of(this.method, problem, action(problem), ex.getCause());
		}
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
		return duration("retain", this.annotation.retain(), LockOptions::withRetain);
	}

	private boolean canRetain(LockOptions options) {
		return this.annotation.type() == LockType.EXCLUSIVE && this.annotation.permits() == 1 && !options.fair()
				&& options.renewal() == Renewal.ON;
	}

	private void check(@Nullable DurationExpression duration, LockOptions base, Duration lease) {
		if (duration != null && duration.isConstant()) {
			duration.applyTo(base.withMaxHold(LockOptions.UNLIMITED).withLease(lease),
					this.templates.bind(this.names, new Object[0]));
		}
	}

	// A constant duration is evaluated once
	private static Function<ArgumentContext, LockOptions> options(LockOptions base, List<DurationExpression> durations,
			boolean leaseKnown, ArgumentContext noArguments) {
		LockOptions constant = base;
		List<DurationExpression> computed = new ArrayList<>();
		for (DurationExpression duration : durations) {
			if (leaseKnown && duration.isConstant()) {
				constant = duration.applyTo(constant, noArguments);
			}
			else {
				computed.add(duration);
			}
		}
		LockOptions start = constant;
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

	private static String action(String attribute) {
		if (attribute.startsWith("expire")) {
			return "Write a lease from 10ms to 365d.";
		}
		if (attribute.startsWith("waitTime")) {
			return "Write a wait from 0s to %s, such as waitTimeString = \"365d\"."
				.formatted(DurationText.of(DurationExpression.LONGEST));
		}
		if (attribute.startsWith("retain")) {
			return "Write a time from 0s to 365d.";
		}
		return attribute.startsWith("maxHold") ? "Write a maxHold that is not below the lease."
				: "Write a minHold from zero up to the lease, or set renew = true for a longer one.";
	}

	private @Nullable DurationExpression duration(String attribute, long number, String text,
			BiFunction<LockOptions, Duration, LockOptions> setter) {
		if (number == -1) {
			return duration(attribute + "String", text, setter);
		}
		if (!text.isEmpty()) {
			throw InvalidAnnotation.of(this.method,
					"it has both %1$s = %2$d and %1$sString = \"%3$s\"".formatted(attribute, number, text),
					"Give one of them.");
		}
		String description = "%s = %d %s".formatted(attribute, number, this.annotation.unit());
		try {
			return DurationExpression.constant(description, number, this.annotation.unit(), setter);
		}
		catch (InvalidExpressionException ex) {
			throw InvalidAnnotation.of(this.method, description, ex, action(attribute));
		}
	}

	private @Nullable DurationExpression duration(String attribute, String text,
			BiFunction<LockOptions, Duration, LockOptions> setter) {
		if (text.isEmpty()) {
			return null;
		}
		String resolved = this.placeholders.apply(text);
		String description = "%s = \"%s\"".formatted(attribute, resolved);
		try {
			return TemplateParser.isComputed(resolved)
					? new DurationExpression(description, this.annotation.unit(), null,
							this.templates.parse(resolved, this.names), setter)
					: DurationExpression.constant(description, resolved, this.annotation.unit(), setter);
		}
		catch (InvalidExpressionException ex) {
			throw InvalidAnnotation.of(this.method, description, ex,
					("Write a duration (%1$s = \"10s\" or \"PT10S\"), or an expression that evaluates to "
							+ "one (%1$s = \"#timeout\").")
						.formatted(attribute));
		}
	}

}
