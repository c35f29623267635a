package io.lockable.redis.client;

import java.net.InetAddress;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockable.text.LogSafe;
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
 */
record MasterAddress(String host, int port, @Nullable String username, @Nullable String password,
		@Nullable Integer database, @Nullable Boolean encrypted) {

	private static final int DEFAULT_PORT = 6379;

	private static final int MAX_PORT = 65_535;

	// scheme://user:password@host:port/database; an IPv6 address is in brackets
	private static final Pattern ADDRESS = Pattern
		.compile("(?:(rediss?)://)?(?:([^:@/]*)(?::([^@/]*))?@)?(\\[[0-9a-fA-F:.]+]|[^:@/\\[\\]\\s]+)"
				+ "(?::(\\d{1,5}))?(?:/(\\d{1,5})?)?");

	private static final long RESOLVE_TIMEOUT_MILLIS = 1000;

	/**
	 * Parses addresses. Host names are resolved for a second at most, so that an
	 * application starts while its name servers are down.
	 * @param addresses the addresses
	 * @return the parsed addresses
	 * @throws IllegalArgumentException if an address is invalid, or two addresses resolve
	 * to one server
	 */
	static List<MasterAddress> parse(List<String> addresses) {
		List<MasterAddress> parsed = addresses.stream().map(MasterAddress::of).toList();
		List<CompletableFuture<Set<String>>> resolved = parsed.stream().map(MasterAddress::resolve).toList();
		Set<String> names = new HashSet<>();
		Map<String, MasterAddress> servers = new HashMap<>();
		for (int i = 0; i < parsed.size(); i++) {
			MasterAddress address = parsed.get(i);
			if (!names.add(address.toString())) {
				throw new IllegalArgumentException(
						"The master %s must be listed once: it must not vote twice".formatted(address));
			}
			for (String server : resolved.get(i).join()) {
				MasterAddress other = servers.putIfAbsent(server, address);
				if (other != null && !other.equals(address)) {
					throw new IllegalArgumentException(
							"The master %s must be listed once: %s is the same server, and it must not vote twice"
								.formatted(address, other));
				}
			}
		}
		return parsed;
	}

	/**
	 * Returns the servers of an address; empty if the name is not resolved in time. A
	 * later connection resolves the name again.
	 */
	private static CompletableFuture<Set<String>> resolve(MasterAddress address) {
		CompletableFuture<Set<String>> servers = new CompletableFuture<Set<String>>().completeOnTimeout(Set.of(),
				RESOLVE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
		Thread thread = new Thread(() -> servers.complete(servers(address)), "lockable-resolve");
		thread.setDaemon(true);
		thread.start();
		return servers;
	}

	private static Set<String> servers(MasterAddress address) {
		Set<String> servers = new HashSet<>();
		try {
			for (InetAddress each : InetAddress.getAllByName(address.host())) {
				servers.add(each.getHostAddress() + ":" + address.port());
			}
		}
		catch (UnknownHostException ex) {
			// The host name is unknown
		}
		return servers;
	}

	/**
	 * Parses an address.
	 * @param address the configured address
	 * @return the address
	 * @throws IllegalArgumentException if it is invalid; the message contains no
	 * credentials
	 */
	static MasterAddress of(String address) {
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
	RedisStandaloneConfiguration configuration(@Nullable WithAuthentication like, boolean encrypted,
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
