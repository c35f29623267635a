package io.lockable.benchmark.server;

import java.time.Duration;
import java.util.Arrays;

import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisNode;

/**
 * The Redis under test, from the benchmark's side.
 */
public final class Server implements AutoCloseable {

	private final RedisNode address;

	private final Jedis jedis;

	private final @Nullable RedisTestServer own;

	private final ServerFigures costOfLooking;

	private final @Nullable DelayProxy network;

	private final Duration roundTrip;

	private Server(RedisNode address, Duration roundTrip, @Nullable RedisTestServer own) {
		this.address = address;
		this.own = own;
		this.jedis = new Jedis(address.getRequiredHost(), address.getRequiredPort());
		look();
		ServerFigures before = look();
		this.costOfLooking = look().since(before);
		this.network = roundTrip.isZero() ? null : new DelayProxy(address, roundTrip.dividedBy(2));
		this.roundTrip = measureRoundTrip(clientAddress());
	}

	/**
	 * Uses a running server, which must have no other users meanwhile.
	 * @param address its address
	 * @param roundTrip the round trip of the simulated network; zero for none
	 * @return the server
	 */
	public static Server at(RedisNode address, Duration roundTrip) {
		return new Server(address, roundTrip, null);
	}

	/**
	 * Starts a server on the loopback interface, without persistence.
	 * @param roundTrip the round trip of the simulated network; zero for none
	 * @return the server
	 */
	public static Server start(Duration roundTrip) {
		RedisTestServer server = RedisServers.start("maxclients 10000");
		try {
			return new Server(new RedisNode(server.host(), server.port()), roundTrip, server);
		}
		catch (RuntimeException ex) {
			server.close();
			throw ex;
		}
	}

	/**
	 * Returns the address of the server.
	 * @return the address
	 */
	public RedisNode address() {
		return this.address;
	}

	/**
	 * Returns the address for clients.
	 * @return the address of the simulated network, or of the server
	 */
	public RedisNode clientAddress() {
		return (this.network != null) ? this.network.address() : this.address;
	}

	/**
	 * Returns the round trip of a client, measured at the start.
	 * @return the median time of a {@code PING}
	 */
	public Duration roundTrip() {
		return this.roundTrip;
	}

	private static Duration measureRoundTrip(RedisNode to) {
		try (Jedis client = new Jedis(to.getRequiredHost(), to.getRequiredPort())) {
			long[] times = new long[101];
			for (int i = 0; i < times.length; i++) {
				long start = System.nanoTime();
				client.ping();
				times[i] = System.nanoTime() - start;
			}
			Arrays.sort(times);
			return Duration.ofNanos(times[times.length / 2]);
		}
	}

	/**
	 * Returns the version of the server.
	 * @return name and version
	 */
	public String version() {
		return "Redis " + this.jedis.info("server").replaceAll("(?s).*redis_version:(\\S+).*", "$1");
	}

	/**
	 * Empties the server if the benchmark started it.
	 */
	public void clear() {
		if (this.own != null) {
			this.jedis.flushAll();
		}
	}

	/**
	 * Reads the figures of the server. The read itself costs bytes, which
	 * {@link #between} subtracts.
	 * @return the current figures
	 */
	public ServerFigures look() {
		return ServerFigures.parse(this.jedis.info("all"));
	}

	/**
	 * Returns the difference between two reads.
	 * @param earlier the first read
	 * @param later the second read
	 * @return the difference, without the cost of a read and without the benchmark's
	 * connection
	 */
	public ServerFigures between(ServerFigures earlier, ServerFigures later) {
		ServerFigures raw = later.since(earlier);
		return new ServerFigures(raw.calls(), raw.bytesIn() - this.costOfLooking.bytesIn(),
				raw.bytesOut() - this.costOfLooking.bytesOut(), raw.cpuSeconds(), raw.connections() - 1);
	}

	@Override
	public void close() {
		if (this.network != null) {
			this.network.close();
		}
		this.jedis.close();
		if (this.own != null) {
			this.own.close();
		}
	}

}
