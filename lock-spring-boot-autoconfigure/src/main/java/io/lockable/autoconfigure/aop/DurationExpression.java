package io.lockable.autoconfigure.aop;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.lockable.DurationText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.expression.Expression;

/**
 * A length of time as an annotation gives it: the same for all calls, or computed for
 * each. Thread-safe.
 *
 * @param text what the user wrote, with the name of the attribute
 * @param unit the unit of numbers without one
 * @param constant the length of time, or {@code null} if it is computed
 * @param fragments what it is computed from; empty if it is constant
 */
record DurationExpression(String text, TimeUnit unit, @Nullable Duration constant, List<Expression> fragments) {

	/**
	 * Takes a number.
	 * @param attribute the attribute that gives it
	 * @param value the number
	 * @param unit its unit
	 * @return the length of time
	 * @throws InvalidExpressionException if it is out of range
	 */
	static DurationExpression of(String attribute, long value, TimeUnit unit) {
		return constant("%s = %d %s".formatted(attribute, value, unit), value, unit);
	}

	/**
	 * Parses a text.
	 * @param attribute the attribute that gives it
	 * @param text the text, without placeholders
	 * @param names the names of the arguments
	 * @param unit the unit of numbers without one
	 * @param parser the parser
	 * @return the length of time
	 * @throws InvalidExpressionException if it does not parse, or is out of range
	 */
	static DurationExpression parse(String attribute, String text, ArgumentNames names, TimeUnit unit,
			TemplateParser parser) {
		String description = "%s = \"%s\"".formatted(attribute, text);
		return TemplateParser.isComputed(text)
				? new DurationExpression(description, unit, null, parser.parse(text, names))
				: constant(description, text, unit);
	}

	private static DurationExpression constant(String description, Object value, TimeUnit unit) {
		try {
			return new DurationExpression(description, unit, toDuration(value, unit), List.of());
		}
		catch (InvalidValueException ex) {
			throw new InvalidExpressionException("is out of range (%s)".formatted(ex.getMessage()), ex);
		}
	}

	boolean isConstant() {
		return this.constant != null;
	}

	/**
	 * Returns the length of time for one call.
	 * @param context the arguments of the call
	 * @return the length, zero or positive
	 * @throws InvalidValueException if it cannot be evaluated, or is no length of time
	 */
	Duration evaluate(ArgumentContext context) {
		if (this.constant != null) {
			return this.constant;
		}
		try {
			return toDuration(value(context), this.unit);
		}
		catch (RuntimeException ex) {
			throw new InvalidValueException("%s cannot be used (%s)".formatted(this.text, ex.getMessage()), ex);
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
			throw new InvalidValueException("it must not be negative, was %s".formatted(DurationText.of(duration)));
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
				return Duration.ofNanos(nanos.setScale(0, RoundingMode.HALF_UP).longValueExact());
			}
			if (value instanceof CharSequence text) {
				return DurationStyle.detectAndParse(text.toString().strip(), unit.toChronoUnit());
			}
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			throw new InvalidValueException("'%s' is not a duration".formatted(value), ex);
		}
		throw new InvalidValueException("a %s is not a duration; use a Duration, a number or a text"
			.formatted((value != null) ? value.getClass().getTypeName() : "null"));
	}

	@Override
	public String toString() {
		return this.text;
	}

}
