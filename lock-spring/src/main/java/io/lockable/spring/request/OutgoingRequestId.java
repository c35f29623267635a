package io.lockable.spring.request;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The outgoing calls that carry the request id: those to configured hosts, compared with
 * the host name in the URI.
 *
 * @param header the name of the header that carries the id
 * @param hosts the hosts: names, {@code *.example.com} for a domain, {@code *} for all
 */
public record OutgoingRequestId(String header, List<String> hosts) {

	private static final String ANY = "*";

	private static final Pattern AUTHORITY = Pattern.compile("(?:[^@]*@)?([A-Za-z0-9_.-]+)(?::\\d*)?");

	/**
	 * Converts the hosts to lower case.
	 */
	public OutgoingRequestId {
		hosts = hosts.stream().map((host) -> host.toLowerCase(Locale.ROOT)).toList();
	}

	/**
	 * Returns whether any call can carry the id.
	 * @return {@code false} if clients need no change
	 */
	public boolean isEnabled() {
		return !this.hosts.isEmpty();
	}

	/**
	 * Returns whether a call carries the id.
	 * @param uri the target of the call
	 * @return whether its host is configured
	 */
	boolean matches(URI uri) {
		String host = host(uri).toLowerCase(Locale.ROOT);
		return this.hosts.stream().anyMatch((allowed) -> matches(allowed, host));
	}

	// For a name with an underscore, which service names may contain, a URI has no host
	private static String host(URI uri) {
		if (uri.getHost() != null) {
			return uri.getHost();
		}
		Matcher authority = AUTHORITY.matcher((uri.getRawAuthority() != null) ? uri.getRawAuthority() : "");
		return authority.matches() ? authority.group(1) : "";
	}

	private static boolean matches(String allowed, String host) {
		return allowed.startsWith(ANY) ? host.endsWith(allowed.substring(ANY.length())) : host.equals(allowed);
	}

}
