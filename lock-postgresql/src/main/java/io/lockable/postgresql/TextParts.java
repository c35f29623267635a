package io.lockable.postgresql;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A message between instances, in notifications of less than 8,000 bytes. PostgreSQL
 * delivers the notifications of a transaction in order and without interleaving, and
 * drops duplicates. Each part therefore has a number.
 *
 * <p>
 * Not thread-safe: notifications arrive on one thread.
 */
final class TextParts {

	static final String TEXT = "text ";

	// A character takes at most three bytes.
	private static final int LENGTH = 2_500;

	private final StringBuilder received = new StringBuilder();

	private int next;

	/**
	 * Divides a message.
	 * @param message the message
	 * @return the notifications
	 */
	static String[] of(String message) {
		String text = StoredText.of(message);
		List<String> parts = new ArrayList<>();
		int start = 0;
		while (start < text.length() || parts.isEmpty()) {
			int end = Math.min(text.length(), start + LENGTH);
			if (end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
				end--;
			}
			parts.add(TEXT + parts.size() + ((end < text.length()) ? "+ " : " ") + text.substring(start, end));
			start = end;
		}
		return parts.toArray(String[]::new);
	}

	/**
	 * Adds a notification. Parts whose predecessor was lost with a connection are
	 * dropped.
	 * @param part the notification
	 * @return the message if it is complete, or {@code null}
	 */
	@Nullable String add(String part) {
		int end = part.indexOf(' ', TEXT.length());
		boolean more = part.charAt(end - 1) == '+';
		int number = Integer.parseInt(part, TEXT.length(), more ? end - 1 : end, 10);
		if (number == 0) {
			this.received.setLength(0);
			this.next = 0;
		}
		if (number != this.next) {
			return null;
		}
		this.next++;
		this.received.append(part, end + 1, part.length());
		return more ? null : StoredText.original(this.received.toString());
	}

}
