package io.lockable.simulation.redis;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Numbers as the server and its Lua write them.
 */
final class Numbers {

	private Numbers() {
	}

	/**
	 * Writes a number as {@code printf} does with {@code %.<digits>g}.
	 * @param value the number
	 * @param digits the number of significant digits
	 * @return the text
	 */
	static String general(double value, int digits) {
		if (Double.isNaN(value)) {
			return "nan";
		}
		if (Double.isInfinite(value)) {
			return (value > 0) ? "inf" : "-inf";
		}
		if (value == 0) {
			return (1 / value < 0) ? "-0" : "0";
		}
		if (value == Math.rint(value) && Math.abs(value) < ((digits > 15) ? 0x1p53 : Math.pow(10, digits))) {
			return Long.toString((long) value);
		}
		BigDecimal rounded = new BigDecimal(value).round(new MathContext(digits, RoundingMode.HALF_EVEN));
		int exponent = rounded.precision() - rounded.scale() - 1;
		BigDecimal shortest = rounded.stripTrailingZeros();
		if (exponent >= -4 && exponent < digits) {
			return shortest.toPlainString();
		}
		String mantissa = shortest.movePointLeft(exponent).stripTrailingZeros().toPlainString();
		return "%se%s%02d".formatted(mantissa, (exponent < 0) ? "-" : "+", Math.abs(exponent));
	}

	/**
	 * Reads an integer argument of a command.
	 * @param text the argument
	 * @return the integer
	 * @throws RedisError if it is none
	 */
	static long integer(String text) {
		try {
			long number = Long.parseLong(text);
			if (Long.toString(number).equals(text)) {
				return number;
			}
		}
		catch (NumberFormatException ex) {
			// Answered as any other text.
		}
		throw new RedisError(RedisError.NOT_AN_INTEGER);
	}

	/**
	 * Reads a score.
	 * @param text the argument
	 * @return the score
	 * @throws RedisError if it is none
	 */
	static double score(String text) {
		return switch (text) {
			case "inf", "+inf" -> Double.POSITIVE_INFINITY;
			case "-inf" -> Double.NEGATIVE_INFINITY;
			default -> {
				try {
					yield Double.parseDouble(text);
				}
				catch (NumberFormatException ex) {
					throw new RedisError("ERR value is not a valid float");
				}
			}
		};
	}

}
