package io.lockable.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;

/**
 * Writes the version of each started server into the file that the system property
 * {@code lockable.test.servers} names, if it is set. A line is {@code Redis 7.0.15} or
 * {@code Valkey 9.1.2}, as the server reports itself.
 */
final class StartedServers {

	// Valkey also reports the version of Redis that it is compatible with, before its
	// own.
	private static final Pattern VERSION = Pattern.compile("(?m)^(valkey|redis)_version:(\\S+)");

	private StartedServers() {
	}

	static void add(RedisTestServer server) {
		String file = System.getProperty("lockable.test.servers", "");
		if (file.isEmpty()) {
			return;
		}
		try {
			Path path = Path.of(file);
			Files.createDirectories(path.toAbsolutePath().getParent());
			Files.writeString(path, version(server.call("INFO", "server")) + "\n", StandardOpenOption.CREATE,
					StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static String version(String info) {
		return VERSION.matcher(info)
			.results()
			.reduce((first, last) -> last)
			.map((found) -> (found.group(1).equals("valkey") ? "Valkey " : "Redis ") + found.group(2))
			.orElse("unknown server");
	}

}
