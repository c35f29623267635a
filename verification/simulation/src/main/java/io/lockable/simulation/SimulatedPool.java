package io.lockable.simulation;

import java.net.Socket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A pool of few connections of Jedis. As the pool of Jedis does by default, it does not
 * test an idle connection, which a restart of the server may have closed.
 */
final class SimulatedPool {

	private static final JedisClientConfig CONFIG = DefaultJedisClientConfig.builder()
		.clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
		.build();

	private static final long CONNECTING = 1_000_000;

	private final Actor actor;

	private final SimulatedServer server;

	private final int size;

	private final long maxWait;

	private final int readTimeout;

	private final Deque<PooledJedis> idle = new ArrayDeque<>();

	private final List<SimulatedSocket> sockets = new ArrayList<>();

	private CompletableFuture<@Nullable Object> freed = new CompletableFuture<>();

	private long occupiedUntil;

	private int connections;

	private int created;

	/**
	 * Creates an empty pool, whose size and timeouts the seed decides.
	 * @param actor the instance
	 * @param server the server
	 */
	SimulatedPool(Actor actor, SimulatedServer server) {
		this.actor = actor;
		this.server = server;
		Dice dice = Dice.of(server.seed(), "pool of " + actor + server.prefix());
		// The subscription takes one connection.
		this.size = (int) dice.between(2, 8);
		this.maxWait = dice.logarithmic(50_000_000, 2_000_000_000);
		this.readTimeout = (int) dice.logarithmic(200, 3000);
	}

	int size() {
		return this.size;
	}

	/**
	 * Borrows a connection, whose {@code close} returns it. Blocks.
	 * @return the connection
	 * @throws JedisException if no connection is free in time, or the server is down
	 */
	Jedis borrow() {
		long end = now() + this.maxWait;
		while (true) {
			boolean occupied = now() < this.occupiedUntil;
			if (!occupied && !this.idle.isEmpty()) {
				return this.idle.pop().borrowed();
			}
			if (!occupied && this.connections < this.size) {
				return connect();
			}
			if (now() >= end) {
				throw new JedisException("Could not get a resource since the pool is exhausted");
			}
			this.server.scheduler().await(this.freed, occupied ? Math.min(end, this.occupiedUntil) : end);
		}
	}

	private PooledJedis connect() {
		this.connections++;
		try {
			return new PooledJedis(this);
		}
		catch (RuntimeException | Error ex) {
			removed();
			throw ex;
		}
	}

	private Socket open() {
		this.server.scheduler().sleep(CONNECTING);
		if (!this.server.isUp()) {
			throw new JedisConnectionException("Failed to connect to any host resolved for DNS name.");
		}
		String name = "%s/%s%d".formatted(this.actor, this.server.prefix(), ++this.created);
		SimulatedSocket socket = new SimulatedSocket(this.actor, this.server, name, this.readTimeout);
		this.sockets.removeIf(SimulatedSocket::isClosed);
		this.sockets.add(socket);
		return socket;
	}

	private void giveBack(PooledJedis jedis) {
		if (jedis.isBroken()) {
			try {
				jedis.getConnection().disconnect();
			}
			finally {
				removed();
			}
		}
		else {
			this.idle.push(jedis);
			wake();
		}
	}

	private void removed() {
		this.connections--;
		wake();
	}

	private void wake() {
		CompletableFuture<@Nullable Object> before = this.freed;
		this.freed = new CompletableFuture<>();
		before.complete(null);
	}

	/**
	 * Takes all connections that are not in use, as the application may.
	 * @param nanos the time after which they are free again
	 */
	void occupy(long nanos) {
		this.occupiedUntil = Math.max(this.occupiedUntil, now() + nanos);
	}

	private long now() {
		return this.server.scheduler().now();
	}

	boolean isOpenFor(String text) {
		return this.sockets.stream().anyMatch((socket) -> socket.isOpenFor(text));
	}

	/**
	 * A connection of the pool.
	 */
	private static final class PooledJedis extends Jedis {

		private final SimulatedPool pool;

		private boolean free;

		PooledJedis(SimulatedPool pool) {
			super(pool::open, CONFIG);
			this.pool = pool;
		}

		PooledJedis borrowed() {
			this.free = false;
			return this;
		}

		@Override
		public void close() {
			disconnect();
		}

		// Spring Data Redis disconnects a connection that has no pool of Jedis.
		@Override
		public void disconnect() {
			if (!this.free) {
				this.free = true;
				this.pool.giveBack(this);
			}
		}

	}

}
