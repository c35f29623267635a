package io.lockable.redis.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lockable.Internal;

/**
 * The addresses of several masters, of which no two may lead to the same server.
 *
 * @since 0.1.0
 */
@Internal
public final class MasterAddresses {

	private static final long RESOLVE_TIMEOUT_MILLIS = 1000;

	private MasterAddresses() {
	}

	/**
	 * Parses addresses. Names are resolved for a second at most: an application must
	 * start although its name servers are down.
	 * @param addresses the addresses
	 * @return the same, parsed
	 * @throws IllegalArgumentException if an address is invalid, or two are known to be
	 * those of one server
	 */
	public static List<MasterAddress> parse(List<String> addresses) {
		List<MasterAddress> parsed = addresses.stream().map(MasterAddress::parse).toList();
		Set<String> names = new HashSet<>();
		Map<String, MasterAddress> servers = new HashMap<>();
		Map<MasterAddress, Set<String>> resolved = resolve(parsed);
		for (MasterAddress address : parsed) {
			if (!names.add(address.hostAndPort())) {
				throw new IllegalArgumentException(
						"The master %s must be listed once: it must not vote twice".formatted(address));
			}
			for (String server : resolved.getOrDefault(address, Set.of())) {
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

	private static Map<MasterAddress, Set<String>> resolve(Collection<MasterAddress> addresses) {
		Map<MasterAddress, Set<String>> resolved = new ConcurrentHashMap<>();
		CountDownLatch open = new CountDownLatch(addresses.size());
		for (MasterAddress address : addresses) {
			Thread thread = new Thread(() -> {
				try {
					resolved.put(address, servers(address));
				}
				catch (UnknownHostException ex) {
					// The name may be known by the time the server is needed
				}
				finally {
					open.countDown();
				}
			}, "lockable-resolve");
			thread.setDaemon(true);
			thread.start();
		}
		try {
			open.await(RESOLVE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return new HashMap<>(resolved);
	}

	private static Set<String> servers(MasterAddress address) throws UnknownHostException {
		Set<String> servers = new HashSet<>();
		for (InetAddress each : InetAddress.getAllByName(address.host())) {
			servers.add(each.getHostAddress() + ":" + address.port());
		}
		return servers;
	}

}
