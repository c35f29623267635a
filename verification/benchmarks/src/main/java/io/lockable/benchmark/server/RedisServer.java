package io.lockable.benchmark.server;

import java.net.InetSocketAddress;
import java.time.Duration;

import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

/**
 * Redis.
 */
public final class RedisServer extends Server {

	private final Jedis jedis;

	private final @Nullable RedisTestServer own;

	private final ServerFigures costOfLooking;

	private RedisServer(InetSocketAddress address, Duration roundTrip, @Nullable RedisTestServer own) {
		super(address, roundTrip, RedisServer::measureRoundTrip);
		this.own = own;
		this.jedis = connect(address);
		look();
		ServerFigures before = look();
		this.costOfLooking = look().since(before);
	}

	/**
	 * Uses a running server, or starts one on the loopback interface without persistence.
	 * @param address the address of a server without other users; {@code null} to start
	 * one
	 * @param roundTrip the round trip of the simulated network; zero for none
	 * @return the server
	 */
	public static Server open(@Nullable InetSocketAddress address, Duration roundTrip) {
		if (address != null) {
			return new RedisServer(address, roundTrip, null);
		}
		RedisTestServer server = RedisServers.start("maxclients 10000");
		return new RedisServer(new InetSocketAddress(server.host(), server.port()), roundTrip, server);
	}

	private static Jedis connect(InetSocketAddress address) {
		return new Jedis(address.getHostString(), address.getPort());
	}

	private static Duration measureRoundTrip(InetSocketAddress to) {
		try (Jedis client = connect(to)) {
			return median(client::ping);
		}
	}

	@Override
	public String version() {
		return "Redis " + this.jedis.info("server").replaceAll("(?s).*redis_version:(\\S+).*", "$1")
				+ ", without persistence";
	}

	@Override
	public void clear() {
		if (this.own != null) {
			this.jedis.flushAll();
		}
	}

	/**
	 * The read itself costs bytes, which {@link #between} subtracts.
	 */
	@Override
	public ServerFigures look() {
		return ServerFigures.parse(this.jedis.info("all"));
	}

	@Override
	public ServerFigures between(ServerFigures earlier, ServerFigures later) {
		ServerFigures raw = later.since(earlier);
		return new ServerFigures(raw.calls(), raw.bytesIn() - this.costOfLooking.bytesIn(),
				raw.bytesOut() - this.costOfLooking.bytesOut(), raw.cpuSeconds(), raw.connections() - 1);
	}

	@Override
	public CommandOrigins monitor() {
		return new MonitoredOrigins(address());
	}

	@Override
	public void close() {
		super.close();
		this.jedis.close();
		if (this.own != null) {
			this.own.close();
		}
	}

}
