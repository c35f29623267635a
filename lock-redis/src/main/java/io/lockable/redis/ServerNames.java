package io.lockable.redis;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Finds out which servers the names in addresses stand for, as far as that is known
 * within a second: an application must start although its name servers are down.
 */
final class ServerNames {

	private static final long PATIENCE_MILLIS = 1000;

	private ServerNames() {
	}

	/**
	 * Looks the names up, all at the same time.
	 * @param addresses the addresses
	 * @return where each of them leads to, without those that are not known in time
	 */
	static Map<MasterAddress, Set<String>> resolve(Collection<MasterAddress> addresses) {
		Map<MasterAddress, Set<String>> found = new ConcurrentHashMap<>();
		CountDownLatch open = new CountDownLatch(addresses.size());
		for (MasterAddress address : addresses) {
			Thread thread = new Thread(() -> {
				try {
					found.put(address, servers(address));
				}
				catch (UnknownHostException ex) {
					// Nothing is known of it now; it may be there when it is needed
				}
				finally {
					open.countDown();
				}
			}, "lockable-resolve");
			thread.setDaemon(true);
			thread.start();
		}
		try {
			open.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return new HashMap<>(found);
	}

	private static Set<String> servers(MasterAddress address) throws UnknownHostException {
		Set<String> servers = new HashSet<>();
		for (InetAddress each : InetAddress.getAllByName(address.host())) {
			servers.add(each.getHostAddress() + ":" + address.port());
		}
		return servers;
	}

}
