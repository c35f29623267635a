package io.lockable.autoconfigure;

import java.util.List;
import java.util.regex.Pattern;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The request id at the start of owner tokens.
 *
 * @param enabled Whether each servlet and reactive request has a request id.
 * @param header Header that carries the request id, in requests and responses.
 * @param propagateTo Hosts that receive the request id in calls by RestClient,
 * RestTemplate and WebClient. A host is a name, '*.example.com' for a domain, or '*' for
 * all. None by default.
 * @since 0.1.0
 */
public record RequestIdProperties(@DefaultValue("true") boolean enabled, @DefaultValue("Req-Id") String header,
		@DefaultValue List<String> propagateTo) {

	private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

	private static final Pattern HOST = Pattern.compile("\\*|(\\*\\.)?[A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:.]+]");

	/**
	 * Validates the properties.
	 * @throws io.lockable.LockException if the header or a host is not a valid name
	 */
	public RequestIdProperties {
		if (!HEADER.matcher(header).matches()) {
			throw LockConfigurationException.ofProperty("request-id.header",
					"must be the name of a header, was '%s'".formatted(header), "Set it to Req-Id, for example.");
		}
		for (String host : propagateTo) {
			if (!HOST.matcher(host).matches()) {
				throw LockConfigurationException.ofProperty("request-id.propagate-to",
						"must name hosts, such as 'stock', '*.example.com' or '*', without scheme and port, was '%s'"
							.formatted(host),
						"List the names of hosts, or write * for all.");
			}
		}
		propagateTo = List.copyOf(propagateTo);
	}

}
