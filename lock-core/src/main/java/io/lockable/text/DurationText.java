package io.lockable.text;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Objects;

/**
 * Formats durations in the syntax of properties: {@code 365d}, {@code 90s}, {@code 10ms}.
 * All messages about locks use this format.
 *
 * @since 0.1.0
 */
public final class DurationText {

	private DurationText() {
	}

	/**
	 * Returns a number and the largest unit, from days to milliseconds, of which the
	 * duration is a multiple. Other durations are formatted in milliseconds with
	 * decimals.
	 * @param duration the duration, of any sign and size
	 * @return the text
	 */
	public static String of(Duration duration) {
		if (duration.getNano() != 0) {
			return BigDecimal.valueOf(duration.getSeconds())
				.add(BigDecimal.valueOf(duration.getNano(), 9))
				.movePointRight(3)
				.stripTrailingZeros()
				.toPlainString() + "ms";
		}
		long seconds = duration.getSeconds();
		if (seconds == 0 || seconds % 60 != 0) {
			return seconds + "s";
		}
		if (seconds % 3600 != 0) {
			return seconds / 60 + "m";
		}
		return (seconds % 86_400 != 0) ? seconds / 3600 + "h" : seconds / 86_400 + "d";
	}

	/**
	 * Validates an argument.
	 * @param name the name of the argument
	 * @param value its value
	 * @param least the shortest valid duration
	 * @param most the longest valid duration
	 * @throws IllegalArgumentException if the value is out of range
	 */
	public static void requireBetween(String name, Duration value, Duration least, Duration most) {
		Objects.requireNonNull(value, () -> "'%s' must not be null".formatted(name));
		if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
			throw new IllegalArgumentException(
					"'%s' must be between %s and %s, was %s".formatted(name, of(least), of(most), of(value)));
		}
	}

}
