package io.lockable.spring.expression;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import io.lockable.DurationText;
import io.lockable.Internal;
import io.lockable.LockOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.Expression;
import org.springframework.format.annotation.DurationFormat.Unit;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * A duration of an annotation: constant, or computed for each call. Thread-safe.
 *
 * @param text the text in the annotation, with the name of the attribute
 * @param unit the unit of plain numbers
 * @param constant the duration, or {@code null} if it is computed
 * @param fragments the expressions that compute it; empty if it is constant
 * @param setter sets it in the options of a lock
 */
@Internal
public record DurationExpression(String text, TimeUnit unit, @Nullable Duration constant, List<Expression> fragments,
		BiFunction<LockOptions, Duration, LockOptions> setter) {

	/**
	 * The longest duration in whole days.
	 */
	public static final Duration LONGEST = Duration.ofDays(LockOptions.UNLIMITED.toDays());

	private static final int MAX_DIGITS = 19;

	/**
	 * Creates a constant duration.
	 * @param text the text in the annotation, with the name of the attribute
	 * @param value the number or text
	 * @param unit the unit of plain numbers
	 * @param setter sets it in the options of a lock
	 * @return the duration
	 * @throws InvalidExpressionException if it does not parse, or is negative
	 */
	public static DurationExpression constant(String text, Object value, TimeUnit unit,
			BiFunction<LockOptions, Duration, LockOptions> setter) {
		try {
			return new DurationExpression(text, unit, toDuration(value, unit), List.of(), setter);
		}
		catch (InvalidExpressionException ex) {
			throw new InvalidExpressionException("is out of range (%s)".formatted(ex.getMessage()), ex);
		}
	}

	/**
	 * Returns whether all calls have the same duration.
	 * @return whether it is constant
	 */
	public boolean isConstant() {
		return this.constant != null;
	}

	/**
	 * Sets the duration for one call.
	 * @param options the options to start from
	 * @param context the arguments of the call
	 * @return the options with the duration
	 * @throws InvalidExpressionException if the expression fails, evaluates to something
	 * other than a duration, or is out of range
	 */
	public LockOptions applyTo(LockOptions options, ArgumentContext context) {
		Duration duration = (this.constant != null) ? this.constant : evaluate(context);
		try {
			return this.setter.apply(options, duration);
		}
		catch (InvalidExpressionException ex) {
			throw new InvalidExpressionException("%s %s".formatted(this.text, ex.getMessage()));
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidExpressionException("%s is out of range (%s)".formatted(this.text, ex.getMessage()), ex);
		}
	}

	private Duration evaluate(ArgumentContext context) {
		try {
			return toDuration(value(context), this.unit);
		}
		catch (RuntimeException ex) {
			throw new InvalidExpressionException("%s cannot be used (%s)".formatted(this.text, ex.getMessage()), ex);
		}
	}

	private @Nullable Object value(ArgumentContext context) {
		if (this.fragments.size() == 1) {
			return KeyValue.of(this.fragments.get(0), context);
		}
		StringBuilder text = new StringBuilder();
		for (Expression fragment : this.fragments) {
			text.append(KeyValue.toText(KeyValue.of(fragment, context), fragment.getExpressionString()));
		}
		return text;
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
				BigDecimal nanos = new BigDecimal(number.toString()).multiply(BigDecimal.valueOf(unit.toNanos(1)));
				return Duration.ofNanos(toLong(nanos));
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
			throw new InvalidExpressionException("'%s' is not a duration".formatted(value), ex);
		}
		throw new InvalidExpressionException("a %s is not a duration; use a Duration, a number or a text"
			.formatted((value != null) ? value.getClass().getTypeName() : "null"));
	}

	// Writes out only a few digits: 1e999999999 would exhaust the memory
	private static long toLong(BigDecimal number) {
		long digits = (long) number.precision() - number.scale();
		if (number.signum() == 0 || digits < 0) {
			return 0;
		}
		if (digits > MAX_DIGITS) {
			throw new ArithmeticException("overflow");
		}
		return number.setScale(0, RoundingMode.HALF_UP).longValueExact();
	}

	@Override
	public String toString() {
		return this.text;
	}

}
