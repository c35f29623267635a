package io.lockable;

/**
 * Escapes texts of clients, such as keys, for messages. A line break in a key could
 * otherwise forge a line of the log.
 */
@Internal
public final class LogSafe {

	private LogSafe() {
	}

	/**
	 * Returns a text on one line.
	 * @param text the text
	 * @return the same, with control characters and the like as \\u escapes
	 */
	public static String of(String text) {
		if (text.chars().noneMatch(LogSafe::isControl)) {
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

	// Some programs take the separators of lines and paragraphs for ends of lines
	private static boolean isControl(int character) {
		return Character.isISOControl(character) || character == '\u2028' || character == '\u2029';
	}

}
