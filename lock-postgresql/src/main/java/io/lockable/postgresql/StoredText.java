package io.lockable.postgresql;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Keys and owner tokens as the tables have them. PostgreSQL accepts no NUL in a text,
 * which is therefore escaped, and an index accepts no long text.
 */
final class StoredText {

	/**
	 * The maximum length of a key that is stored as it is. Each character takes at most
	 * three bytes.
	 */
	static final int MAX_KEY = 500;

	private static final String HASHED = "sha256:";

	private StoredText() {
	}

	/**
	 * Returns the text for a column of an owner token.
	 * @param text the text
	 * @return the same text with escapes
	 */
	static String of(String text) {
		return text.replace("\\", "\\b").replace("\0", "\\0");
	}

	/**
	 * Returns the text for a column of a key.
	 * @param key the full name of a lock
	 * @return the name with escapes, or the hash of a longer name
	 */
	static String ofKey(String key) {
		String text = of(key);
		return (text.length() <= MAX_KEY && !isHash(text)) ? text : HASHED + hash(text);
	}

	static boolean isHash(String key) {
		return key.startsWith(HASHED);
	}

	/**
	 * Returns the original text.
	 * @param stored the text with escapes
	 * @return the text
	 */
	static String original(String stored) {
		return stored.replace("\\0", "\0").replace("\\b", "\\");
	}

	private static String hash(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
