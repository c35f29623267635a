package io.lockable.text;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Escapes text that may contain client input, such as keys, for messages and the log. A
 * line break in a key could otherwise forge a log entry.
 */
public final class LogSafe {

	private static final int HEAD = 3_000;

	private static final int TAIL = 1_000;

	// Some programs treat line and paragraph separators as line ends.
	// Terminals reorder text after directional controls.
	private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\x80-\\x9f\\u2028-\\u202e\\u2066-\\u2069]");

	private LogSafe() {
	}

	/**
	 * Returns a text on one line, of at most about 4,000 characters before escapes.
	 * @param text the text
	 * @return the text without the middle of a longer one, with control characters and
	 * the like as \\u escapes
	 */
	public static String of(String text) {
		return escaped((text.length() <= HEAD + TAIL) ? text : text.substring(0, HEAD) + "…("
				+ (text.length() - HEAD - TAIL) + " characters)…" + text.substring(text.length() - TAIL));
	}

	/**
	 * Returns a failure for the log or for the cause of an exception.
	 * @param failure the failure
	 * @return the same, or a copy with escaped messages if its message, or that of a
	 * cause or suppressed failure, spans several lines
	 */
	public static Throwable of(Throwable failure) {
		return isSafe(failure, newSet()) ? failure : new EscapedException(failure, newSet());
	}

	private static Set<Throwable> newSet() {
		return Collections.newSetFromMap(new IdentityHashMap<>());
	}

	private static boolean isSafe(@Nullable Throwable failure, Set<Throwable> seen) {
		if (failure == null || !seen.add(failure)) {
			return true;
		}
		boolean safe = failure.getMessage() == null || !CONTROL.matcher(failure.getMessage()).find();
		return safe && isSafe(failure.getCause(), seen)
				&& Stream.of(failure.getSuppressed()).allMatch((each) -> isSafe(each, seen));
	}

	private static String escaped(String text) {
		return CONTROL.matcher(text).replaceAll((found) -> "\\\\u%04x".formatted((int) found.group().charAt(0)));
	}

	/**
	 * A copy of a failure whose message starts with the type of the original.
	 */
	@SuppressWarnings("serial")
	private static final class EscapedException extends RuntimeException {

		EscapedException(Throwable original, Set<Throwable> seen) {
			super(escaped(original.toString()));
			seen.add(original);
			setStackTrace(original.getStackTrace());
			Throwable cause = original.getCause();
			if (cause != null && !seen.contains(cause)) {
				initCause(new EscapedException(cause, seen));
			}
			for (Throwable suppressed : original.getSuppressed()) {
				if (!seen.contains(suppressed)) {
					addSuppressed(new EscapedException(suppressed, seen));
				}
			}
		}

	}

}
