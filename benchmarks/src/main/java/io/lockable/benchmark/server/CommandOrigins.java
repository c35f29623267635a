package io.lockable.benchmark.server;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

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

	private static final String SCRIPT = "lua]";

	private final Map<String, Origin> origins = new HashMap<>();

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
		record(line);
		if (++this.lines >= LINES) {
			this.jedis.close();
		}
	}

	// A line is: time [database origin] "name" "argument" …
	void record(String line) {
		int originEnd = line.indexOf(']');
		int nameStart = line.indexOf('"', originEnd) + 1;
		int nameEnd = line.indexOf('"', nameStart);
		if (originEnd < 0 || nameStart == 0 || nameEnd < 0) {
			return;
		}
		String name = line.substring(nameStart, nameEnd).toLowerCase(Locale.ROOT);
		boolean scripted = line.startsWith(SCRIPT, originEnd + 1 - SCRIPT.length());
		synchronized (this.origins) {
			this.origins.computeIfAbsent(name, (added) -> new Origin()).add(scripted);
		}
	}

	/**
	 * Counts the commands that clients have sent. A command that was never heard counts
	 * as sent by a client.
	 * @param figures what the server counted
	 * @return commands without those inside of scripts and those of the benchmark itself
	 */
	public double sentByClients(ServerFigures figures) {
		synchronized (this.origins) {
			return figures.calls()
				.entrySet()
				.stream()
				.filter((entry) -> !"info".equals(entry.getKey()) && !"monitor".equals(entry.getKey()))
				.mapToDouble((entry) -> entry.getValue() * clientShare(entry.getKey()))
				.sum();
		}
	}

	private double clientShare(String command) {
		Origin origin = this.origins.get(command.split("\\|", 2)[0]);
		return (origin != null) ? origin.clientShare() : 1;
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

	private static final class Origin {

		private long clients;

		private long scripts;

		void add(boolean scripted) {
			if (scripted) {
				this.scripts++;
			}
			else {
				this.clients++;
			}
		}

		double clientShare() {
			return (double) this.clients / (this.clients + this.scripts);
		}

	}

}
