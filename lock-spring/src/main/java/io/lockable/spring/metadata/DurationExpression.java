package io.lockable.spring.metadata;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import io.lockable.LockOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.format.annotation.DurationFormat.Unit;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * A duration of an annotation: constant, or computed for each call. Thread-safe.
 *
 * @param text the text in the annotation, with the name of the attribute
 * @param unit the unit of plain numbers
 * @param value the {@link Duration}, or the {@link AttributeText} that computes it
 * @param setter sets it in the options of a lock
 */
record DurationExpression(String text, TimeUnit unit, Object value,
		BiFunction<LockOptions, Duration, LockOptions> setter) {

	/**
	 * The correction for a text that is no duration.
	 */
	static final String FORMS = "Write a duration (\"10s\" or \"PT10S\"), "
			+ "or an expression that evaluates to one (\"#timeout\").";

	/**
	 * Creates a duration.
	 * @param text the text in the annotation, with the name of the attribute
	 * @param unit the unit of plain numbers
	 * @param value the number or text, or the {@link AttributeText} that computes it
	 * @param setter sets it in the options of a lock
	 * @return the duration
	 * @throws InvalidExpressionException if a constant does not parse, or is negative
	 */
	static DurationExpression of(String text, TimeUnit unit, Object value,
			BiFunction<LockOptions, Duration, LockOptions> setter) {
		Object parsed = (value instanceof AttributeText) ? value : toDuration(value, unit);
		InvalidExpressionException.throwIf(parsed instanceof Duration constant && constant.isNegative(),
				"must not be negative", null);
		return new DurationExpression(text, unit, parsed, setter);
	}

	boolean isComputed() {
		return this.value instanceof AttributeText;
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
		try {
			Object current = (this.value instanceof AttributeText computed) ? computed.value(context) : this.value;
			return this.setter.apply(options, toDuration(current, this.unit));
		}
		catch (RuntimeException ex) {
			throw new InvalidExpressionException("%s cannot be used (%s)".formatted(this.text, ex.getMessage()),
					"Write a value that this condition allows.", ex);
		}
	}

	private static Duration toDuration(@Nullable Object value, TimeUnit unit) {
		if (value instanceof Duration duration) {
			return duration;
		}
		if (value instanceof Optional<?> optional) {
			return toDuration(optional.orElse(null), unit);
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
			throw new InvalidExpressionException("'%s' is beyond the range of durations".formatted(value), null, ex);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidExpressionException("'%s' is not a duration".formatted(value), null, ex);
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
