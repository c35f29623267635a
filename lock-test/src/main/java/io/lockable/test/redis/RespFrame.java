package io.lockable.test.redis;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * One request or one reply of Redis's protocol (RESP2 or RESP3), unchanged, and its
 * words: the strings, numbers and errors in it.
 */
final class RespFrame {

	private static final Set<String> MESSAGES = Set.of("message", "pmessage", "smessage");

	private static final Set<String> SUBSCRIPTIONS = Set.of("SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE");

	private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

	private final List<String> words = new ArrayList<>();

	private final InputStream in;

	private final char type;

	private RespFrame(InputStream in, int type) throws IOException {
		this.in = in;
		this.type = (char) type;
		copyValue(type);
	}

	private RespFrame(byte[] content, int length) {
		this.in = InputStream.nullInputStream();
		this.type = ' ';
		this.bytes.write(content, 0, length);
	}

	/**
	 * Reads the next frame.
	 * @param in the stream
	 * @return the frame, or {@code null} at the end of the stream
	 * @throws IOException if the stream fails or ends inside a frame
	 */
	static @Nullable RespFrame read(InputStream in) throws IOException {
		int type = in.read();
		return (type < 0) ? null : new RespFrame(in, type);
	}

	/**
	 * Reads the bytes that have arrived, as a frame of a protocol that is not Redis's.
	 * @param in the stream
	 * @return the frame without words, or {@code null} at the end of the stream
	 * @throws IOException if the stream fails
	 */
	static @Nullable RespFrame readUnparsed(InputStream in) throws IOException {
		byte[] content = new byte[8192];
		int length = in.read(content);
		return (length < 0) ? null : new RespFrame(content, length);
	}

	void writeTo(OutputStream out) throws IOException {
		this.bytes.writeTo(out);
	}

	/**
	 * Returns the words as text.
	 * @param separator the text between two words
	 * @return the command and its arguments, or the reply
	 */
	String text(String separator) {
		return String.join(separator, this.words);
	}

	boolean isError() {
		return this.type == '-';
	}

	boolean isPush() {
		return this.type == '>';
	}

	boolean isMessage() {
		return (isPush() || this.type == '*') && !this.words.isEmpty() && MESSAGES.contains(this.words.get(0));
	}

	boolean isSubscription() {
		return !this.words.isEmpty() && SUBSCRIPTIONS.contains(this.words.get(0).toUpperCase(Locale.ROOT));
	}

	private void copyValue(int kind) throws IOException {
		this.bytes.write(kind);
		String line = copyLine();
		switch (kind) {
			case '$', '!', '=' -> copyString(Integer.parseInt(line));
			case '*', '~', '>' -> copyValues(Integer.parseInt(line));
			case '%' -> copyValues(2 * Integer.parseInt(line));
			// Attributes precede the value that they describe.
			case '|' -> copyValues(2 * Integer.parseInt(line) + 1);
			case '+', '-', ':' -> this.words.add(line);
			// Another scalar, or a request on one line.
			default -> this.words.add((char) kind + line);
		}
	}

	private void copyValues(int number) throws IOException {
		for (int i = 0; i < number; i++) {
			copyValue(next());
		}
	}

	private void copyString(int length) throws IOException {
		if (length < 0) {
			this.words.add("(nil)");
			return;
		}
		byte[] content = this.in.readNBytes(length + 2);
		if (content.length < length + 2) {
			throw new EOFException();
		}
		this.bytes.writeBytes(content);
		this.words.add(new String(content, 0, length, StandardCharsets.UTF_8));
	}

	private String copyLine() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int next = next(); next != '\n'; next = next()) {
			line.write(next);
		}
		line.write('\n');
		line.writeTo(this.bytes);
		return line.toString(StandardCharsets.UTF_8).strip();
	}

	private int next() throws IOException {
		int next = this.in.read();
		if (next < 0) {
			throw new EOFException();
		}
		return next;
	}

}
