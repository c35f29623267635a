package io.lockable.simulation;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A connection of Lettuce, which connects again after each loss.
 */
abstract class Reconnecting {

	private static final long MIN_BACKOFF = 1_000_000;

	private static final long MAX_BACKOFF = 500_000_000;

	private final Actor client;

	private final Supplier<@Nullable SimulatedServer> reachable;

	private final String name;

	private SimulatedServer server;

	private @Nullable Link link;

	private int attempts;

	private boolean closed;

	private long backoff = MIN_BACKOFF;

	/**
	 * Creates a connection that is not open.
	 * @param client the process of the client
	 * @param server the server
	 * @param reachable the server to connect to, or {@code null} while there is none
	 * @param name the name of the connection
	 */
	Reconnecting(Actor client, SimulatedServer server, Supplier<@Nullable SimulatedServer> reachable, String name) {
		this.client = client;
		this.server = server;
		this.reachable = reachable;
		this.name = name;
	}

	SimulatedServer server() {
		return this.server;
	}

	Actor client() {
		return this.client;
	}

	@Nullable Link link() {
		return this.link;
	}

	boolean isClosed() {
		return this.closed;
	}

	/**
	 * Connects now, or as soon as the server is there, unless the connection is open.
	 */
	void connect() {
		if (this.closed || this.link != null) {
			return;
		}
		SimulatedServer found = this.reachable.get();
		if (found != null) {
			this.server = found;
			this.backoff = MIN_BACKOFF;
			this.link = new Link(this.client, this.server, this.name + '.' + ++this.attempts, this::lost);
			connected(this.link);
		}
		else {
			connectLater();
		}
	}

	private void lost() {
		this.link = null;
		connectLater();
	}

	private void connectLater() {
		this.server.scheduler().at(this.server.scheduler().now() + this.backoff, this.client, this::connect);
		this.backoff = Math.min(2 * this.backoff, MAX_BACKOFF);
	}

	/**
	 * Uses a new connection.
	 * @param opened the connection
	 */
	abstract void connected(Link opened);

	/**
	 * Closes the connection permanently.
	 */
	void close() {
		this.closed = true;
		if (this.link != null) {
			this.link.end();
		}
	}

}
