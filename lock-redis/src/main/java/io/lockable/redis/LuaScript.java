package io.lockable.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script, made of the resources beside this class, and the digest under which a server
 * keeps it.
 *
 * @param name the name of the script
 * @param source its source, with the common parts it uses
 * @param digest the SHA-1 digest of the source
 */
record LuaScript(String name, String source, String digest) {

	static LuaScript of(String name, String... commonParts) {
		StringBuilder parts = new StringBuilder();
		for (String part : commonParts) {
			parts.append(read(part)).append('\n');
		}
		String source = parts.append(read(name)).toString();
		try {
			byte[] digest = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
			return new LuaScript(name, source, HexFormat.of().formatHex(digest));
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
