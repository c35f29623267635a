package io.lockable.campaign.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Writes to the resource of the campaign. Confined to one thread.
 */
final class ResourceClient implements AutoCloseable {

	private final Socket socket;

	private final BufferedReader answers;

	private final Writer requests;

	ResourceClient(int port) {
		try {
			this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
			this.socket.setTcpNoDelay(true);
			this.answers = new BufferedReader(
					new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8));
			this.requests = new java.io.OutputStreamWriter(this.socket.getOutputStream(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void write(String key, String id, long token) {
		try {
			this.requests.write(key + " " + id + " " + token + "\n");
			this.requests.flush();
			this.answers.readLine();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
