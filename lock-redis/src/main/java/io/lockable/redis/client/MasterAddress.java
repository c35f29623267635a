package io.lockable.redis.client;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockable.Internal;
import io.lockable.LogSafe;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * The configured address of a master. {@code toString()} omits the password.
 *
 * @param host the host
 * @param port the port
 * @param username the user, or {@code null} for the application's user
 * @param password the password, or {@code null} for the application's password
 * @param database the database number, or {@code null} for the application's database
 * @param encrypted whether to use TLS, or {@code null} to do as the application does
 * @since 0.1.0
 */
@Internal
public record MasterAddress(String host, int port, @Nullable String username, @Nullable String password,
		@Nullable Integer database, @Nullable Boolean encrypted) {

	private static final int DEFAULT_PORT = 6379;

	private static final int MAX_PORT = 65_535;

	// scheme://user:password@host:port/database; an IPv6 address is in brackets
	private static final Pattern ADDRESS = Pattern
		.compile("(?:(rediss?)://)?(?:([^:@/]*)(?::([^@/]*))?@)?(\\[[0-9a-fA-F:.]+]|[^:@/\\[\\]\\s]+)"
				+ "(?::(\\d{1,5}))?(?:/(\\d{1,5})?)?");

	/**
	 * Parses an address.
	 * @param address the configured address
	 * @return the address
	 * @throws IllegalArgumentException if it is invalid; the message contains no
	 * credentials
	 */
	public static MasterAddress parse(String address) {
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
	 * Returns the connection configuration of the master.
	 * @param like the configuration of the application's own servers, whose credentials
	 * apply unless the address has its own
	 * @param encrypted whether the application uses TLS
	 * @param defaultDatabase the database unless the address has its own
	 * @return the configuration
	 * @throws IllegalArgumentException if the address requires the opposite of
	 * {@code encrypted}
	 */
	public RedisStandaloneConfiguration configuration(@Nullable WithAuthentication like, boolean encrypted,
			int defaultDatabase) {
		if (this.encrypted != null && this.encrypted != encrypted) {
			throw new IllegalArgumentException(
					"The master %s must be reached %s TLS, like the application's own server: write %s://, or no scheme"
						.formatted(this, encrypted ? "over" : "without", encrypted ? "rediss" : "redis"));
		}
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(this.host, this.port);
		if (this.password != null) {
			configuration.setUsername(this.username);
			configuration.setPassword(RedisPassword.of(this.password));
		}
		else if (like != null) {
			configuration.setUsername(like.getUsername());
			configuration.setPassword(like.getPassword());
		}
		configuration.setDatabase((this.database != null) ? this.database : defaultDatabase);
		return configuration;
	}

	/**
	 * Returns the host and the port, which distinguish one server from another.
	 */
	@Override
	public String toString() {
		return this.host.toLowerCase(Locale.ROOT) + ':' + this.port;
	}

	private static @Nullable String decoded(@Nullable String text) {
		if (text == null || text.isEmpty()) {
			return null;
		}
		try {
			return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			// Dropped as a cause: its message contains a part of the password.
			throw new IllegalArgumentException(
					"The credentials in the address of a master must be percent-encoded: '%25' stands for '%'");
		}
	}

	private static String withoutCredentials(String address) {
		return LogSafe.of(address.replaceFirst("(?s)^(\\w+://)?.*@", "$1***@"));
	}

}
