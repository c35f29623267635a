package io.lockable.redis;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Where a master is, as an application writes it. Never printed with its password.
 *
 * @param host its host
 * @param port its port
 * @param username the user, or {@code null} for that of the application
 * @param password the password, or {@code null} for that of the application
 * @param database the number of the database, or {@code null} for that of the application
 * @param encrypted whether TLS is asked for, or {@code null} for what the application
 * does
 */
record MasterAddress(String host, int port, @Nullable String username, @Nullable String password,
		@Nullable Integer database, @Nullable Boolean encrypted) {

	private static final int DEFAULT_PORT = 6379;

	private static final int MAX_PORT = 65_535;

	// scheme://user:password@host:port/database; an IPv6 address stands in brackets
	private static final Pattern ADDRESS = Pattern
		.compile("(?:(rediss?)://)?(?:([^:@/]*)(?::([^@/]*))?@)?(\\[[0-9a-fA-F:.]+]|[^:@/\\[\\]\\s]+)"
				+ "(?::(\\d{1,5}))?(?:/(\\d{1,5})?)?");

	static MasterAddress parse(String address) {
		Matcher matcher = ADDRESS.matcher(address.strip());
		if (!matcher.matches()) {
			throw new IllegalArgumentException(
					"The address of a master must be 'host:port' or 'redis://user:password@host:port/database', was '%s'"
						.formatted(withoutCredentials(address)));
		}
		int port = (matcher.group(5) != null) ? Integer.parseInt(matcher.group(5)) : DEFAULT_PORT;
		if (port < 1 || port > MAX_PORT) {
			throw new IllegalArgumentException(
					"The port of a master must be 1 to 65535, was '%s'".formatted(withoutCredentials(address)));
		}
		if (decoded(matcher.group(2)) != null && decoded(matcher.group(3)) == null) {
			throw new IllegalArgumentException(
					"The user in the address of a master must be followed by its password, as in 'redis://user:password@host', was '%s'"
						.formatted(withoutCredentials(address)));
		}
		String host = matcher.group(4);
		return new MasterAddress(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port,
				decoded(matcher.group(2)), decoded(matcher.group(3)),
				(matcher.group(6) != null) ? Integer.valueOf(matcher.group(6)) : null,
				(matcher.group(1) != null) ? matcher.group(1).equals("rediss") : null);
	}

	/**
	 * Returns what tells one server from another.
	 * @return host and port
	 */
	String hostAndPort() {
		return this.host.toLowerCase(Locale.ROOT) + ':' + this.port;
	}

	@Override
	public String toString() {
		return hostAndPort();
	}

	private static @Nullable String decoded(@Nullable String text) {
		if (text == null || text.isEmpty()) {
			return null;
		}
		return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
	}

	private static String withoutCredentials(String address) {
		return address.replaceFirst("^(\\w+://)?.*@", "$1***@");
	}

}
