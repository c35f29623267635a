package io.lockable.redis.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.Internal;

/**
 * The addresses of several masters, each a different server.
 *
 * @since 0.1.0
 */
@Internal
public final class MasterAddresses {

	private static final long RESOLVE_TIMEOUT_MILLIS = 1000;

	private MasterAddresses() {
	}

	/**
	 * Parses addresses. Host names are resolved for a second at most, so that an
	 * application starts while its name servers are down.
	 * @param addresses the addresses
	 * @return the parsed addresses
	 * @throws IllegalArgumentException if an address is invalid, or two addresses resolve
	 * to one server
	 */
	public static List<MasterAddress> parse(List<String> addresses) {
		List<MasterAddress> parsed = addresses.stream().map(MasterAddress::parse).toList();
		List<CompletableFuture<Set<String>>> resolved = parsed.stream().map(MasterAddresses::resolve).toList();
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

}
