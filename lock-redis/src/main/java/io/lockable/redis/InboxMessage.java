package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.Inbox.Recall;

/**
 * A message as the scripts write it: fields separated by spaces, of which the last
 * contains several texts. The earlier fields give the lengths of these texts in bytes, so
 * the texts may contain any characters.
 */
final class InboxMessage {

	private InboxMessage() {
	}

	/**
	 * Delivers a message to an inbox.
	 * @param body the message
	 * @param inbox receives the grant, the recall, the answer to a recall or the text
	 * @throws RuntimeException if the message is malformed; nothing was delivered
	 */
	static void deliver(byte[] body, Inbox inbox) {
		// One char per byte
		String message = new String(body, StandardCharsets.ISO_8859_1);
		switch (message.substring(0, message.indexOf(' '))) {
			case "recall" -> {
				String[] fields = message.split(" ", 5);
				List<String> texts = texts(fields[4], fields[1], fields[2], fields[3]);
				inbox.recalled(new Recall(texts.get(0), texts.get(1), texts.get(2), texts.get(3)));
			}
			case "busy" -> {
				String[] fields = message.split(" ", 3);
				List<String> texts = texts(fields[2], fields[1]);
				inbox.busy(texts.get(0), texts.get(1));
			}
			case "text" -> inbox.received(text(message.substring(message.indexOf(' ') + 1)));
			default -> {
				String[] fields = message.split(" ", 7);
				List<String> texts = texts(fields[6], fields[5]);
				Granted granted = new Granted(Long.parseLong(fields[0]), Long.parseLong(fields[1]),
						Long.parseLong(fields[2]) != 0, Long.parseLong(fields[3]));
				Duration lease = Duration.ofMillis(Long.parseLong(fields[4]));
				inbox.granted(new Grant(texts.get(0), texts.get(1), granted, lease));
			}
		}
	}

	/**
	 * Returns the texts of the given lengths, and the rest.
	 */
	private static List<String> texts(String joined, String... lengths) {
		List<String> texts = new ArrayList<>();
		int at = 0;
		for (String length : lengths) {
			int end = Math.addExact(at, Integer.parseInt(length));
			texts.add(text(joined.substring(at, end)));
			at = end;
		}
		texts.add(text(joined.substring(at)));
		return texts;
	}

	private static String text(String bytes) {
		return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
	}

}
