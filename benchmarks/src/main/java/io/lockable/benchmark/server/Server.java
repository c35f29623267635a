package io.lockable.benchmark.server;

import java.time.Duration;
import java.util.Arrays;

import io.lockable.benchmark.peer.RedisAddress;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

/**
 * The Redis under test, as the benchmark itself sees it.
 */
public final class Server implements AutoCloseable {

	private final RedisAddress address;

	private final Jedis jedis;

	private final Runnable stop;

	private final boolean own;

	private final ServerFigures costOfLooking;

	private final @Nullable DelayProxy network;

	private final Duration roundTrip;

	private Server(RedisAddress address, Duration roundTrip, boolean own, Runnable stop) {
		this.address = address;
		this.own = own;
		this.stop = stop;
		this.jedis = new Jedis(address.host(), address.port());
		info();
		ServerFigures before = info();
		this.costOfLooking = info().since(before);
		this.network = roundTrip.isZero() ? null : DelayProxy.to(address, roundTrip.dividedBy(2));
		this.roundTrip = measureRoundTrip(clientAddress());
	}

	/**
	 * Uses a server that somebody else runs and nobody else uses meanwhile.
	 * @param address where it is
	 * @param roundTrip the time that clients wait for the network; zero for none
	 * @return the server
	 */
	public static Server at(RedisAddress address, Duration roundTrip) {
		return new Server(address, roundTrip, false, () -> {
		});
	}

	/**
	 * Starts a server of our own: on the loopback interface, without persistence.
	 * @param roundTrip the time that clients wait for the network; zero for none
	 * @return the server
	 */
	public static Server start(Duration roundTrip) {
		RedisProcess process = RedisProcess.start();
		try {
			return new Server(process.address(), roundTrip, true, process::close);
		}
		catch (RuntimeException ex) {
			process.close();
			throw ex;
		}
	}

	/**
	 * Returns where the server is.
	 * @return the address
	 */
	public RedisAddress address() {
		return this.address;
	}

	/**
	 * Returns where clients connect to.
	 * @return the address of the network in front of the server, or of the server
	 */
	public RedisAddress clientAddress() {
		return (this.network != null) ? this.network.address() : this.address;
	}

	/**
	 * Returns how long a client waits for a reply, as measured at the start.
	 * @return the median time of a {@code PING}
	 */
	public Duration roundTrip() {
		return this.roundTrip;
	}

	private static Duration measureRoundTrip(RedisAddress to) {
		try (Jedis client = new Jedis(to.host(), to.port())) {
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
	 * Returns what the server is.
	 * @return name and version
	 */
	public String version() {
		return this.jedis.info("server")
			.lines()
			.filter((line) -> line.startsWith("redis_version:"))
			.findFirst()
			.map((line) -> "Redis " + line.substring(line.indexOf(':') + 1).trim())
			.orElse("unknown");
	}

	/**
	 * Empties the server if it is our own; a server of somebody else is left as it is.
	 */
	public void clear() {
		if (this.own) {
			this.jedis.flushAll();
		}
	}

	/**
	 * Looks at the server. Looking costs bytes, which {@link #between} subtracts.
	 * @return the figures of this moment
	 */
	public ServerFigures look() {
		return info();
	}

	/**
	 * Returns what happened between two looks.
	 * @param earlier the first look
	 * @param later the second look
	 * @return the difference, without what looking itself costs and without our own
	 * connection
	 */
	public ServerFigures between(ServerFigures earlier, ServerFigures later) {
		ServerFigures raw = later.since(earlier);
		return new ServerFigures(raw.calls(), raw.bytesIn() - this.costOfLooking.bytesIn(),
				raw.bytesOut() - this.costOfLooking.bytesOut(), raw.cpuSeconds(), raw.connections() - 1);
	}

	private ServerFigures info() {
		return ServerFigures.parse(this.jedis.info("all"));
	}

	@Override
	public void close() {
		if (this.network != null) {
			this.network.close();
		}
		this.jedis.close();
		this.stop.run();
	}

}
