package io.lockable.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.data.redis.connection.ReturnType;

/**
 * A script, made of the resources beside this class, and the digest under which a server
 * keeps it.
 *
 * <p>
 * A line {@code -- include part} stands for a common part. It is where the part is first
 * needed, because defining its functions costs on every call.
 *
 * @param name the name of the script
 * @param source its source, with the common parts it uses
 * @param digest the SHA-1 digest of the source
 * @param answer an integer, or a list of integers
 */
record LuaScript(String name, String source, String digest, ReturnType answer) {

	private static final Pattern INCLUDE = Pattern.compile("(?m)^-- include (\\w+)$");

	/**
	 * Reads a script that answers with one integer.
	 * @param name the name of the script
	 * @return the script
	 */
	static LuaScript ofInteger(String name) {
		return of(name, ReturnType.INTEGER);
	}

	/**
	 * Reads a script that answers with a list of integers.
	 * @param name the name of the script
	 * @return the script
	 */
	static LuaScript ofList(String name) {
		return of(name, ReturnType.MULTI);
	}

	private static LuaScript of(String name, ReturnType answer) {
		String source = INCLUDE.matcher(read(name))
			.replaceAll((include) -> Matcher.quoteReplacement(read(include.group(1))));
		try {
			byte[] digest = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
			return new LuaScript(name, source, HexFormat.of().formatHex(digest), answer);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-1", ex);
		}
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

}
