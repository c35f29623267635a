package io.lockable.benchmark.peer;

import io.lockable.harness.peer.Setup;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * The address of the Redis that all peers share.
 *
 * @param host the host
 * @param port the port
 */
public record RedisAddress(String host, int port) {

	// Exceeds the number of threads of any scenario that use Redis concurrently
	private static final int POOL_SIZE = 64;

	/**
	 * Parses {@code host:port}.
	 * @param address the text
	 * @return the address
	 * @throws IllegalArgumentException if the text has another format
	 */
	public static RedisAddress parse(String address) {
		int colon = address.lastIndexOf(':');
		if (colon < 1) {
			throw new IllegalArgumentException("'redis' must be host:port, was " + address);
		}
		return new RedisAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
	}

	Setup setup() {
		return new Setup(new RedisStandaloneConfiguration(this.host, this.port), PeerKind.LEASE, POOL_SIZE, null);
	}

	static void checkAcquired(boolean acquired, String key) {
		if (!acquired) {
			throw new IllegalStateException("Lock '%s' is held, and a limit does not wait".formatted(key));
		}
	}

	@Override
	public String toString() {
		return this.host + ":" + this.port;
	}

}
