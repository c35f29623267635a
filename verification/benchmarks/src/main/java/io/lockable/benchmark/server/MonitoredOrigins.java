package io.lockable.benchmark.server;

import java.net.InetSocketAddress;

import io.lockable.harness.process.Daemon;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisMonitor;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Learns the origins of commands from {@code MONITOR}, because {@code INFO} counts
 * commands of clients and of scripts alike. It monitors the start of a peer's warm-up,
 * never the measurement.
 */
final class MonitoredOrigins extends CommandOrigins {

	// Sufficient to learn a peer's protocol
	private static final int LINES = 100_000;

	private final Jedis jedis;

	private int lines;

	/**
	 * Starts to monitor the server.
	 * @param redis the server
	 */
	MonitoredOrigins(InetSocketAddress redis) {
		this.jedis = new Jedis(redis.getHostString(), redis.getPort(), 0);
		this.jedis.connect();
		Daemon.start("command-origins", this::listen);
	}

	private void listen() {
		try {
			this.jedis.monitor(new JedisMonitor() {

				@Override
				public void onCommand(String command) {
					add(command);
					if (++MonitoredOrigins.this.lines >= LINES) {
						MonitoredOrigins.this.jedis.close();
					}
				}

			});
		}
		catch (JedisException ex) {
			// The connection was closed, which ends the monitoring
		}
	}

	@Override
	public void close() {
		this.jedis.close();
	}

}
