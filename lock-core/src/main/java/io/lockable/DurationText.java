package io.lockable;

import java.math.BigDecimal;
import java.time.Duration;

/**
 * Prints a duration in the form that properties take: {@code 365d}, {@code 90s},
 * {@code 10ms}. Every message about locks uses this form.
 *
 * @since 0.1.0
 */
public final class DurationText {

	private DurationText() {
	}

	/**
	 * Returns a number and the largest unit of which the duration is a multiple, from
	 * days to milliseconds. A duration that is no multiple of a millisecond is printed in
	 * milliseconds with decimals.
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
