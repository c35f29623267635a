package io.lockable.campaign.worker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Writes to the resource of the campaign. Confined to one thread.
 */
final class ResourceClient implements AutoCloseable {

	private final Socket socket;

	ResourceClient(int port) throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
		this.socket.setTcpNoDelay(true);
	}

	void write(String key, String id, long token) throws IOException {
		String line = key + " " + id + " " + token + "\n";
		this.socket.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
		// The resource confirms with one byte
		this.socket.getInputStream().read();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
