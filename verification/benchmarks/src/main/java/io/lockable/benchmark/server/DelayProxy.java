package io.lockable.benchmark.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

import io.lockable.harness.process.Daemon;
import io.lockable.harness.server.LoopbackServer;

/**
 * A simulated network between the clients and the server: a loopback proxy that delays
 * each chunk of bytes by a fixed time in each direction. Chunks are delayed concurrently,
 * so the delay affects latency and not throughput. The timer of the operating system is
 * late by about 0.05 ms. A thread therefore parks until shortly before the time and spins
 * for the rest.
 */
final class DelayProxy implements AutoCloseable {

	private static final int CHUNK = 64 * 1024;

	// The lateness of a Linux timer, with a margin
	private static final long TIMER_SLACK_NANOS = 60_000;

	private static final ByteBuffer END = ByteBuffer.allocate(0);

	private final InetSocketAddress server;

	private final long delay;

	private final LoopbackServer entrance;

	/**
	 * Starts a proxy.
	 * @param server the server behind it
	 * @param eachWay the delay of each direction
	 */
	DelayProxy(InetSocketAddress server, Duration eachWay) {
		this.server = server;
		this.delay = eachWay.toNanos();
		this.entrance = new LoopbackServer("delay-proxy", this::connect);
	}

	InetSocketAddress address() {
		return new InetSocketAddress(InetAddress.getLoopbackAddress(), this.entrance.port());
	}

	private void connect(Socket client) throws IOException {
		Socket onward = new Socket(this.server.getHostString(), this.server.getPort());
		onward.setTcpNoDelay(true);
		pass(client, onward, "requests");
		pass(onward, client, "replies");
	}

	private void pass(Socket from, Socket to, String direction) {
		BlockingQueue<Chunk> chunks = new LinkedBlockingQueue<>();
		Daemon.start("delay-proxy-" + direction + "-in", () -> read(from, chunks));
		Daemon.start("delay-proxy-" + direction + "-out", () -> write(to, chunks));
	}

	private void read(Socket from, BlockingQueue<Chunk> chunks) {
		byte[] buffer = new byte[CHUNK];
		try {
			InputStream in = from.getInputStream();
			for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
				chunks.add(new Chunk(ByteBuffer.wrap(Arrays.copyOf(buffer, length)), System.nanoTime() + this.delay));
			}
		}
		catch (IOException ex) {
			// the end of the connection
		}
		chunks.add(new Chunk(END, System.nanoTime() + this.delay));
	}

	private static void write(Socket to, BlockingQueue<Chunk> chunks) {
		try (to) {
			OutputStream out = to.getOutputStream();
			for (Chunk chunk = chunks.take(); chunk.bytes().hasRemaining(); chunk = chunks.take()) {
				awaitTime(chunk.dueAt());
				out.write(chunk.bytes().array());
			}
		}
		catch (IOException ex) {
			// the end of the connection
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static void awaitTime(long time) {
		for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
			if (left > TIMER_SLACK_NANOS) {
				LockSupport.parkNanos(left - TIMER_SLACK_NANOS);
			}
			else {
				Thread.onSpinWait();
			}
		}
	}

	@Override
	public void close() {
		this.entrance.close();
	}

	/**
	 * Bytes in flight.
	 *
	 * @param bytes the bytes; none at the end of the connection
	 * @param dueAt the time of their delivery
	 */
	private record Chunk(ByteBuffer bytes, long dueAt) {

	}

}
