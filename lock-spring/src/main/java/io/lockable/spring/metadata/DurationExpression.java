package io.lockable.spring.metadata;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import io.lockable.LockOptions;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

import org.springframework.format.annotation.DurationFormat.Unit;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * A duration of an annotation: constant, or computed for each call. Thread-safe.
 *
 * @param text the text in the annotation, with the name of the attribute
 * @param range the correction for a duration that is out of range
 * @param unit the unit of plain numbers
 * @param constant the duration, or {@code null} if it is computed
 * @param computed the text that computes it, or {@code null} if it is constant
 * @param setter sets it in the options of a lock
 */
record DurationExpression(String text, String range, TimeUnit unit, @Nullable Duration constant,
		@Nullable AttributeText computed, BiFunction<LockOptions, Duration, LockOptions> setter) {

	/**
	 * The longest duration in whole days.
	 */
	static final Duration LONGEST = Duration.ofDays(LockOptions.UNLIMITED.toDays());

	/**
	 * The correction for a text that is no duration.
	 */
	static final String FORMS = "Write a duration (\"10s\" or \"PT10S\"), "
			+ "or an expression that evaluates to one (\"#timeout\").";

	/**
	 * Creates a constant duration.
	 * @param text the text in the annotation, with the name of the attribute
	 * @param range the correction for a duration that is out of range
	 * @param value the number or text
	 * @param unit the unit of plain numbers
	 * @param setter sets it in the options of a lock
	 * @return the duration
	 * @throws InvalidExpressionException if it does not parse, or is negative
	 */
	static DurationExpression constant(String text, String range, Object value, TimeUnit unit,
			BiFunction<LockOptions, Duration, LockOptions> setter) {
		try {
			return new DurationExpression(text, range, unit, toDuration(value, unit), null, setter);
		}
		catch (InvalidExpressionException ex) {
			String action = ex.getAction();
			throw new InvalidExpressionException("is out of range (%s)".formatted(ex.getMessage()),
					(action != null) ? action : range, ex);
		}
	}

	/**
	 * Sets the duration for one call.
	 * @param options the options to start from
	 * @param context the arguments of the call
	 * @return the options with the duration
	 * @throws InvalidExpressionException if the expression fails, evaluates to something
	 * other than a duration, or is out of range
	 */
	LockOptions applyTo(LockOptions options, ArgumentContext context) {
		return set(options, (this.computed != null) ? evaluate(this.computed, context) : this.constant);
	}

	private LockOptions set(LockOptions options, @Nullable Duration duration) {
		try {
			return this.setter.apply(options, Objects.requireNonNull(duration));
		}
		catch (InvalidExpressionException ex) {
			throw new InvalidExpressionException("%s %s".formatted(this.text, ex.getMessage()), this.range);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidExpressionException("%s is out of range (%s)".formatted(this.text, ex.getMessage()),
					this.range, ex);
		}
	}

	private Duration evaluate(AttributeText source, ArgumentContext context) {
		try {
			return toDuration(source.value(context), this.unit);
		}
		catch (RuntimeException ex) {
			throw new InvalidExpressionException("%s cannot be used (%s)".formatted(this.text, ex.getMessage()), ex);
		}
	}

	private static Duration toDuration(@Nullable Object value, TimeUnit unit) {
		Duration duration = convert(value, unit);
		if (duration.isNegative()) {
			throw new InvalidExpressionException(
					"it must not be negative, was %s".formatted(DurationText.of(duration)));
		}
		return duration;
	}

	private static Duration convert(@Nullable Object value, TimeUnit unit) {
		if (value instanceof Duration duration) {
			return duration;
		}
		if (value instanceof Optional<?> optional) {
			return convert(optional.orElse(null), unit);
		}
		try {
			if (value instanceof Number number) {
				return Duration.ofNanos(nanos(number, unit.toNanos(1)));
			}
			if (value instanceof CharSequence text) {
				return DurationFormatterUtils.detectAndParse(text.toString().strip(),
						Unit.fromChronoUnit(unit.toChronoUnit()));
			}
		}
		catch (ArithmeticException ex) {
			throw new InvalidExpressionException(
					"'%s' is beyond the range of durations, 0s to %s".formatted(value, DurationText.of(LONGEST)), ex);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidExpressionException("'%s' is not a duration".formatted(value), FORMS, ex);
		}
		throw new InvalidExpressionException("a %s is not a duration; use a Duration, a number or a text"
			.formatted((value != null) ? value.getClass().getTypeName() : "null"));
	}

	// Writes out no digits: 1e999999999 would exhaust the memory
	private static long nanos(Number number, long unit) {
		double value = number.doubleValue();
		if (value == number.longValue()) {
			return Math.multiplyExact(number.longValue(), unit);
		}
		if (Math.abs(value * unit) < Long.MAX_VALUE) {
			return Math.round(value * unit);
		}
		throw new ArithmeticException("overflow");
	}

	@Override
	public String toString() {
		return this.text;
	}

}
