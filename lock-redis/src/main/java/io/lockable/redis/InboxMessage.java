package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.lockable.store.Grant;
import io.lockable.store.Granted;
import io.lockable.store.Inbox;
import io.lockable.store.Recall;

/**
 * A message as the scripts write it: fields separated by spaces, of which the last
 * contains several texts. The earlier fields give the lengths of these texts in bytes, so
 * the texts may contain any characters.
 */
final class InboxMessage {

	// One char per byte
	private final String text;

	private int at;

	private InboxMessage(byte[] body) {
		this.text = new String(body, StandardCharsets.ISO_8859_1);
	}

	/**
	 * Delivers a message to an inbox.
	 * @param body the message
	 * @param inbox receives the grant, the recall or the answer to a recall
	 * @throws RuntimeException if the message is malformed; nothing was delivered
	 */
	static void deliver(byte[] body, Inbox inbox) {
		InboxMessage message = new InboxMessage(body);
		String kind = message.field();
		switch (kind) {
			case "recall" -> inbox.recalled(message.recall());
			case "busy" -> {
				int key = message.length();
				inbox.busy(message.next(key), message.rest());
			}
			default -> inbox.granted(message.grant(Long.parseLong(kind)));
		}
	}

	private Grant grant(long firstToken) {
		long lastToken = number();
		boolean others = number() != 0;
		Granted granted = new Granted(firstToken, lastToken, others, number());
		Duration lease = Duration.ofMillis(number());
		int key = length();
		return new Grant(next(key), rest(), granted, lease);
	}

	private Recall recall() {
		int key = length();
		int holder = length();
		int asking = length();
		return new Recall(next(key), next(holder), next(asking), rest());
	}

	private int length() {
		return Math.toIntExact(number());
	}

	private long number() {
		return Long.parseLong(field());
	}

	private String field() {
		int end = this.text.indexOf(' ', this.at);
		String field = this.text.substring(this.at, end);
		this.at = end + 1;
		return field;
	}

	private String next(int length) {
		String bytes = this.text.substring(this.at, this.at + length);
		this.at += length;
		return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
	}

	private String rest() {
		return next(this.text.length() - this.at);
	}

}
