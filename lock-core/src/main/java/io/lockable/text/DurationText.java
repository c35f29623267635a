package io.lockable.text;

import java.math.BigDecimal;
import java.time.Duration;

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
			return inMillis(duration).stripTrailingZeros().toPlainString() + "ms";
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

	private static BigDecimal inMillis(Duration duration) {
		return BigDecimal.valueOf(duration.getSeconds())
			.add(BigDecimal.valueOf(duration.getNano(), 9))
			.movePointRight(3);
	}

}
