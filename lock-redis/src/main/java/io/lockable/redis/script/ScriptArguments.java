package io.lockable.redis.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * Converts texts and durations to script arguments.
 *
 * @since 0.1.0
 */
public final class ScriptArguments {

	private ScriptArguments() {
	}

	/**
	 * Returns a text in UTF-8.
	 * @param text the text
	 * @return the bytes
	 */
	public static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Returns texts in UTF-8.
	 * @param texts the texts
	 * @return the bytes of each
	 */
	public static byte[][] bytes(String... texts) {
		return Arrays.stream(texts).map(ScriptArguments::bytes).toArray(byte[][]::new);
	}

	/**
	 * Returns a duration in whole milliseconds.
	 * @param duration the duration
	 * @return the number, at least 1
	 */
	public static String millis(Duration duration) {
		return Long.toString(Math.max(1, duration.toMillis()));
	}

}
