package io.lockable.harness.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

import io.lockable.harness.process.Daemon;
import io.lockable.harness.process.Io;

/**
 * A server on a free port of the loopback address, with a thread for each connection.
 */
public final class LoopbackServer implements AutoCloseable {

	private static final int BACKLOG = 128;

	private final ServerSocket entrance = Io.call(() -> new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()));

	private final String name;

	private final Service service;

	/**
	 * Opens the server.
	 * @param name the start of the names of its threads
	 * @param service serves each connection
	 */
	public LoopbackServer(String name, Service service) {
		this.name = name;
		this.service = service;
		Daemon.start(name + "-accept", this::accept);
	}

	/**
	 * Returns the port.
	 * @return the port
	 */
	public int port() {
		return this.entrance.getLocalPort();
	}

	private void accept() {
		while (!this.entrance.isClosed()) {
			try {
				Socket client = this.entrance.accept();
				client.setTcpNoDelay(true);
				Daemon.start(this.name + "-connection", () -> serve(client));
			}
			catch (IOException ex) {
				// Closed, or the client has disconnected
			}
		}
	}

	private void serve(Socket client) {
		try {
			this.service.serve(client);
		}
		catch (IOException ex) {
			// The end of the connection
		}
	}

	/**
	 * Refuses new connections.
	 */
	@Override
	public void close() {
		Io.run(this.entrance::close);
	}

	/**
	 * Serves a connection.
	 */
	@FunctionalInterface
	public interface Service {

		/**
		 * Serves a connection, on a thread of its own.
		 * @param client the connection, which the service closes
		 * @throws IOException if the connection fails
		 */
		void serve(Socket client) throws IOException;

	}

}
