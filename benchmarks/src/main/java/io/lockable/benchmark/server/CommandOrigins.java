package io.lockable.benchmark.server;

import io.lockable.benchmark.peer.RedisAddress;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisMonitor;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Tells commands that clients send from those that scripts call: {@code INFO} counts both
 * alike, {@code MONITOR} marks the latter. It listens to the start of a peer's warm-up,
 * never to what is measured.
 */
public final class CommandOrigins implements AutoCloseable {

	// Enough to know a peer's protocol
	private static final int LINES = 100_000;

	private final OriginShares shares = new OriginShares();

	private final Jedis jedis;

	private final Thread listener;

	private int lines;

	/**
	 * Starts to listen.
	 * @param redis the server
	 */
	public CommandOrigins(RedisAddress redis) {
		this.jedis = new Jedis(redis.host(), redis.port(), 0);
		this.jedis.connect();
		this.listener = new Thread(this::listen, "command-origins");
		this.listener.setDaemon(true);
		this.listener.start();
	}

	private void listen() {
		try {
			this.jedis.monitor(new JedisMonitor() {

				@Override
				public void onCommand(String command) {
					CommandOrigins.this.onCommand(command);
				}

			});
		}
		catch (JedisException ex) {
			// The connection was closed: that is how listening ends
		}
	}

	private void onCommand(String line) {
		this.shares.add(line);
		if (++this.lines >= LINES) {
			this.jedis.close();
		}
	}

	/**
	 * Counts the commands that clients have sent. A command that was never heard counts
	 * as sent by a client.
	 * @param figures what the server counted
	 * @return commands without those inside of scripts and those of the benchmark itself
	 */
	public double sentByClients(ServerFigures figures) {
		return this.shares.sentByClients(figures);
	}

	/**
	 * Stops listening; what was heard stays.
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
