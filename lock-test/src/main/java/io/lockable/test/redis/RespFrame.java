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
 * One request or one reply of Redis's protocol (RESP2 or RESP3), unchanged.
 */
final class RespFrame {

	private static final Set<String> MESSAGES = Set.of("message", "pmessage", "smessage");

	private static final Set<String> SUBSCRIPTIONS = Set.of("SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE");

	private final byte[] bytes;

	private final List<String> words;

	private RespFrame(byte[] bytes, List<String> words) {
		this.bytes = bytes;
		this.words = words;
	}

	/**
	 * Reads the next frame.
	 * @param in the stream
	 * @return the frame, or {@code null} at the end of the stream
	 * @throws IOException if the stream fails or ends inside a frame
	 */
	static @Nullable RespFrame read(InputStream in) throws IOException {
		int type = in.read();
		if (type < 0) {
			return null;
		}
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		List<String> words = new ArrayList<>();
		copyValue(type, in, bytes, words);
		return new RespFrame(bytes.toByteArray(), words);
	}

	void writeTo(OutputStream out) throws IOException {
		out.write(this.bytes);
	}

	/**
	 * Returns the request on one line.
	 * @return the command and its arguments, separated by spaces
	 */
	String text() {
		return this.words.isEmpty() ? new String(this.bytes, StandardCharsets.UTF_8).strip()
				: String.join(" ", this.words);
	}

	boolean isPush() {
		return this.bytes[0] == '>';
	}

	boolean isMessage() {
		return (isPush() || this.bytes[0] == '*') && !this.words.isEmpty() && MESSAGES.contains(this.words.get(0));
	}

	boolean isSubscription() {
		return !this.words.isEmpty() && SUBSCRIPTIONS.contains(this.words.get(0).toUpperCase(Locale.ROOT));
	}

	private static void copyValue(int type, InputStream in, ByteArrayOutputStream bytes, List<String> words)
			throws IOException {
		bytes.write(type);
		String line = copyLine(in, bytes);
		switch (type) {
			case '$', '!', '=' -> copyString(Integer.parseInt(line), in, bytes, words);
			case '*', '~', '>' -> copyValues(Integer.parseInt(line), in, bytes, words);
			case '%' -> copyValues(2 * Integer.parseInt(line), in, bytes, words);
			// Attributes precede the value that they describe.
			case '|' -> copyValues(2 * Integer.parseInt(line) + 1, in, bytes, words);
			default -> {
			}
		}
	}

	private static void copyValues(int number, InputStream in, ByteArrayOutputStream bytes, List<String> words)
			throws IOException {
		for (int i = 0; i < number; i++) {
			copyValue(next(in), in, bytes, words);
		}
	}

	private static void copyString(int length, InputStream in, ByteArrayOutputStream bytes, List<String> words)
			throws IOException {
		if (length >= 0) {
			byte[] content = in.readNBytes(length + 2);
			if (content.length < length + 2) {
				throw new EOFException();
			}
			bytes.writeBytes(content);
			words.add(new String(content, 0, length, StandardCharsets.UTF_8));
		}
	}

	private static String copyLine(InputStream in, ByteArrayOutputStream bytes) throws IOException {
		StringBuilder line = new StringBuilder();
		for (int next = next(in);; next = next(in)) {
			bytes.write(next);
			if (next == '\n') {
				return line.toString();
			}
			if (next != '\r') {
				line.append((char) next);
			}
		}
	}

	private static int next(InputStream in) throws IOException {
		int next = in.read();
		if (next < 0) {
			throw new EOFException();
		}
		return next;
	}

}
