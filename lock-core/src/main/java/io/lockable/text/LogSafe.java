package io.lockable.text;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Escapes text that may contain client input, such as keys, for messages and the log. A
 * line break in a key could otherwise forge a log entry.
 */
public final class LogSafe {

	private static final int HEAD = 3_000;

	private static final int TAIL = 1_000;

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
		Set<Throwable> all = newSet();
		collect(failure, all);
		boolean safe = all.stream().map(Throwable::getMessage).allMatch(LogSafe::isSafe);
		return safe ? failure : new EscapedException(failure, newSet());
	}

	private static Set<Throwable> newSet() {
		return Collections.newSetFromMap(new IdentityHashMap<>());
	}

	private static void collect(@Nullable Throwable failure, Set<Throwable> all) {
		if (failure != null && all.add(failure)) {
			collect(failure.getCause(), all);
			for (Throwable suppressed : failure.getSuppressed()) {
				collect(suppressed, all);
			}
		}
	}

	private static boolean isSafe(@Nullable String text) {
		return text == null || text.chars().noneMatch(LogSafe::isControl);
	}

	private static String escaped(String text) {
		if (isSafe(text)) {
			return text;
		}
		StringBuilder result = new StringBuilder(text.length() + 16);
		text.chars().forEach((character) -> {
			if (isControl(character)) {
				result.append("\\u%04x".formatted(character));
			}
			else {
				result.append((char) character);
			}
		});
		return result.toString();
	}

	// Some programs treat line and paragraph separators as line ends.
	// Terminals reorder text after directional controls.
	private static boolean isControl(int character) {
		return Character.isISOControl(character) || (character >= '\u2028' && character <= '\u202e')
				|| (character >= '\u2066' && character <= '\u2069');
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
