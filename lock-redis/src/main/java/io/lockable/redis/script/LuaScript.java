package io.lockable.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ReturnType;

/**
 * A script, read from the resources beside this class, and the digest under which a
 * server keeps it. The scripts that every lock needs are read at once, so that the first
 * call does not wait for them; the others when they are first needed, which shortens the
 * start of the application.
 *
 * <p>
 * A line {@code -- include part} stands for a common part. It is placed where the part is
 * first needed, because the definition of its functions costs time on every call.
 *
 * <p>
 * Thread-safe: threads that read a script at the same time read the same text.
 *
 * @since 0.1.0
 */
@Internal
public final class LuaScript {

	private static final Pattern INCLUDE = Pattern.compile("(?m)^-- include (\\w+)$");

	private final String name;

	private final ReturnType answer;

	private final boolean freeing;

	private final boolean bySource;

	private volatile @Nullable String source;

	private volatile @Nullable String digest;

	private LuaScript(String name, ReturnType answer, boolean freeing, boolean bySource) {
		this.name = name;
		this.answer = answer;
		this.freeing = freeing;
		this.bySource = bySource;
	}

	/**
	 * Names a script that answers with one integer.
	 * @param name the name of the script
	 * @return the script
	 */
	public static LuaScript ofInteger(String name) {
		return new LuaScript(name, ReturnType.INTEGER, false, false);
	}

	/**
	 * Names a script that answers with a list of integers.
	 * @param name the name of the script
	 * @return the script
	 */
	public static LuaScript ofList(String name) {
		return new LuaScript(name, ReturnType.MULTI, false, false);
	}

	/**
	 * Notes that the script frees a lock, and answers first whether the owner held it.
	 * The second copy of one command then answers 0 where the first one has freed the
	 * lock.
	 * @return the script
	 */
	public LuaScript freeing() {
		return new LuaScript(this.name, this.answer, true, this.bySource);
	}

	/**
	 * Returns whether the script {@linkplain #freeing() frees} a lock.
	 * @return whether it does
	 */
	public boolean isFreeing() {
		return this.freeing;
	}

	/**
	 * Lets the source be sent each time, and never the digest.
	 * @return the script
	 */
	public LuaScript bySource() {
		return new LuaScript(this.name, this.answer, this.freeing, true);
	}

	/**
	 * Returns whether the digest is never sent.
	 * @return whether the source is sent each time
	 */
	public boolean isBySource() {
		return this.bySource;
	}

	/**
	 * Reads the script now.
	 * @return the script
	 */
	public LuaScript read() {
		digest();
		return this;
	}

	/**
	 * Returns the name of the script.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns the source, with the common parts it uses.
	 * @return the source
	 */
	public String source() {
		String read = this.source;
		if (read == null) {
			read = INCLUDE.matcher(read(this.name))
				.replaceAll((include) -> Matcher.quoteReplacement(read(include.group(1))));
			this.source = read;
		}
		return read;
	}

	/**
	 * Returns the SHA-1 digest of the source.
	 * @return the digest, in hexadecimal digits
	 */
	public String digest() {
		String known = this.digest;
		if (known == null) {
			known = sha1(source());
			this.digest = known;
		}
		return known;
	}

	/**
	 * Returns what the script answers with.
	 * @return an integer, or a list of integers
	 */
	public ReturnType answer() {
		return this.answer;
	}

	@Override
	public String toString() {
		return this.name;
	}

	private static String read(String name) {
		try (InputStream resource = LuaScript.class.getResourceAsStream(name + ".lua")) {
			if (resource == null) {
				throw new IllegalStateException("The script '%s.lua' is missing from the jar".formatted(name));
			}
			return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String sha1(String source) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("This Java platform lacks SHA-1", ex);
		}
	}

}
