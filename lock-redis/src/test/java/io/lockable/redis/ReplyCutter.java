package io.lockable.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lockable.test.RedisTestServer;

/**
 * Stands between a client and a server, and loses replies when told to.
 */
final class ReplyCutter implements AutoCloseable {

	private final RedisTestServer server;

	private final ServerSocket entrance;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final Set<Socket> silenced = ConcurrentHashMap.newKeySet();

	private volatile Fault fault = Fault.NONE;

	private volatile boolean hit;

	private ReplyCutter(RedisTestServer server) throws IOException {
		this.server = server;
		this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		start(this::accept);
	}

	static ReplyCutter before(RedisTestServer server) {
		try {
			return new ReplyCutter(server);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String host() {
		return this.server.host();
	}

	int port() {
		return this.entrance.getLocalPort();
	}

	/**
	 * Says what becomes of replies from now on.
	 * @param fault the fault
	 */
	void lose(Fault fault) {
		this.hit = false;
		this.fault = fault;
		// No network delivers later bytes of a stream and not the earlier ones.
		this.silenced.forEach(ReplyCutter::end);
		this.silenced.clear();
	}

	/**
	 * Returns whether a reply was lost since the fault was set.
	 * @return whether the fault was hit
	 */
	boolean isHit() {
		return this.hit;
	}

	private void accept() throws IOException {
		while (!this.entrance.isClosed()) {
			Socket client = this.entrance.accept();
			Socket onward = new Socket(this.server.host(), this.server.port());
			onward.setTcpNoDelay(true);
			client.setTcpNoDelay(true);
			this.sockets.add(client);
			this.sockets.add(onward);
			start(() -> copy(client, onward, false));
			start(() -> copy(onward, client, true));
		}
	}

	private void copy(Socket from, Socket to, boolean replies) throws IOException {
		try (from; to) {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			byte[] buffer = new byte[8192];
			for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
				Fault now = replies ? this.fault : Fault.NONE;
				if (now != Fault.NONE) {
					this.hit = true;
				}
				if (now == Fault.CUT) {
					this.fault = Fault.NONE;
					return;
				}
				if (now == Fault.SILENCE) {
					this.silenced.add(from);
				}
				else {
					out.write(buffer, 0, length);
				}
			}
		}
		finally {
			this.sockets.remove(from);
			this.sockets.remove(to);
		}
	}

	private static void end(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void start(Crew.Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (Exception ex) {
				// a connection has ended
			}
		}, "test-reply-cutter");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() {
		try {
			this.entrance.close();
			this.sockets.forEach(ReplyCutter::end);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * What becomes of replies.
	 */
	enum Fault {

		/**
		 * They pass.
		 */
		NONE,

		/**
		 * The next one is lost together with its connection.
		 */
		CUT,

		/**
		 * They vanish while connections stay open, which end when the fault does.
		 */
		SILENCE

	}

}
