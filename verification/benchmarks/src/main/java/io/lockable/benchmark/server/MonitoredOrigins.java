package io.lockable.benchmark.server;

import java.net.InetSocketAddress;

import io.lockable.harness.process.Daemon;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisMonitor;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Separates commands of clients from commands of scripts: {@code INFO} counts both alike,
 * and {@code MONITOR} marks the latter. It monitors the start of a peer's warm-up, never
 * the measurement.
 */
final class MonitoredOrigins implements CommandOrigins {

	// Sufficient to learn a peer's protocol
	private static final int LINES = 100_000;

	private final OriginShares shares = new OriginShares();

	private final Jedis jedis;

	private final Thread listener;

	private int lines;

	/**
	 * Starts to monitor the server.
	 * @param redis the server
	 */
	MonitoredOrigins(InetSocketAddress redis) {
		this.jedis = new Jedis(redis.getHostString(), redis.getPort(), 0);
		this.jedis.connect();
		this.listener = Daemon.start("command-origins", this::listen);
	}

	private void listen() {
		try {
			this.jedis.monitor(new JedisMonitor() {

				@Override
				public void onCommand(String command) {
					MonitoredOrigins.this.shares.add(command);
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

	/**
	 * A command that was never monitored counts as a client's.
	 */
	@Override
	public double sentByClients(ServerFigures figures) {
		return this.shares.sentByClients(figures);
	}

	/**
	 * Stops monitoring, and keeps the results.
	 */
	@Override
	public void close() {
		this.jedis.close();
		try {
			this.listener.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
