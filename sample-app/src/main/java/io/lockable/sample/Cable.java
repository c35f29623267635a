package io.lockable.sample;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;

/**
 * The network between one instance and the server: a TCP proxy. A cut cable holds all
 * bytes back until it is mended, and closes no connection.
 */
final class Cable implements AutoCloseable {

	private final ServerSocket entrance;

	private final String host;

	private final int port;

	private volatile CountDownLatch mended = new CountDownLatch(0);

	Cable(String host, int port) throws IOException {
		this.host = host;
		this.port = port;
		this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		thread(this::accept);
	}

	int port() {
		return this.entrance.getLocalPort();
	}

	/**
	 * Holds back all bytes until the cable is mended. A second cut changes nothing.
	 */
	void cut() {
		if (this.mended.getCount() == 0) {
			this.mended = new CountDownLatch(1);
		}
	}

	void mend() {
		this.mended.countDown();
	}

	@Override
	public void close() throws IOException {
		this.entrance.close();
		mend();
	}

	private void accept() {
		while (!this.entrance.isClosed()) {
			try {
				Socket client = this.entrance.accept();
				thread(() -> connect(client));
			}
			catch (IOException ex) {
				// The entrance is closed, or the client is gone.
			}
		}
	}

	private void connect(Socket client) {
		try (client; Socket server = new Socket(this.host, this.port)) {
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
			thread(() -> pump(server, client));
			pump(client, server);
		}
		catch (IOException ex) {
			// The server is down: the client sees a closed connection.
		}
	}

	private void pump(Socket from, Socket to) {
		try (from; to; InputStream input = from.getInputStream(); OutputStream output = to.getOutputStream()) {
			byte[] buffer = new byte[8192];
			for (int n = input.read(buffer); n >= 0; n = input.read(buffer)) {
				this.mended.await();
				output.write(buffer, 0, n);
			}
		}
		catch (IOException ex) {
			// Either end has closed the connection: both are closed now.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static void thread(Runnable task) {
		Thread thread = new Thread(task, "cable");
		thread.setDaemon(true);
		thread.start();
	}

}
