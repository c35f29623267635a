package io.lockable.benchmark.server;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The server under test, from the benchmark's side.
 */
public abstract class Server implements AutoCloseable {

	private final InetSocketAddress address;

	private final @Nullable DelayProxy network;

	private final InetSocketAddress clientAddress;

	private final Duration roundTrip;

	/**
	 * Puts a network in front of the server.
	 * @param address the address of the server
	 * @param roundTrip the round trip of the simulated network; zero for none
	 * @param measurement measures the round trip of a client to an address
	 */
	Server(InetSocketAddress address, Duration roundTrip, Function<InetSocketAddress, Duration> measurement) {
		this.address = address;
		this.network = roundTrip.isZero() ? null : new DelayProxy(address, roundTrip.dividedBy(2));
		this.clientAddress = (this.network != null) ? this.network.address() : address;
		this.roundTrip = measurement.apply(this.clientAddress);
	}

	static Duration median(Runnable ping) {
		long[] times = new long[101];
		for (int i = 0; i < times.length; i++) {
			long start = System.nanoTime();
			ping.run();
			times[i] = System.nanoTime() - start;
		}
		Arrays.sort(times);
		return Duration.ofNanos(times[times.length / 2]);
	}

	final InetSocketAddress address() {
		return this.address;
	}

	/**
	 * Returns the address for clients.
	 * @return the address of the simulated network, or of the server, as host:port
	 */
	public final String clientAddress() {
		return this.clientAddress.getHostString() + ":" + this.clientAddress.getPort();
	}

	/**
	 * Returns the round trip of a client, measured at the start.
	 * @return the median time of the smallest command
	 */
	public final Duration roundTrip() {
		return this.roundTrip;
	}

	/**
	 * Returns the version of the server.
	 * @return name and version
	 */
	public abstract String version();

	/**
	 * Empties the server if the benchmark started it.
	 */
	public abstract void clear();

	/**
	 * Reads the figures of the server.
	 * @return the current figures
	 */
	public abstract ServerFigures look();

	/**
	 * Returns the difference between two reads.
	 * @param earlier the first read
	 * @param later the second read
	 * @return the difference, without the cost of a read and without the benchmark's
	 * connection
	 */
	public ServerFigures between(ServerFigures earlier, ServerFigures later) {
		return later.since(earlier);
	}

	/**
	 * Starts to monitor the origins of commands.
	 * @return the origins
	 */
	public abstract CommandOrigins monitor();

	@Override
	public void close() {
		if (this.network != null) {
			this.network.close();
		}
	}

}
