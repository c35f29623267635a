package io.lockable.harness.peer;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * The settings that all libraries share.
 *
 * @param servers the servers
 * @param lease the lease of a lock
 * @param connections the size of a pool of connections
 * @param timeout the timeout of a command, where servers fail; {@code null} for the
 * default of the library, and a client that connects at once
 */
public record Setup(RedisConfiguration servers, Duration lease, int connections, @Nullable Duration timeout) {

	/**
	 * Returns the only server.
	 * @return the server
	 */
	public RedisStandaloneConfiguration server() {
		return (RedisStandaloneConfiguration) this.servers;
	}

}
