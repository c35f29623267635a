package io.lockable.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.lockable.test.redis.RedisTestServer;

/**
 * Records all commands of a server with their arguments, including those of scripts.
 */
final class ServerCalls implements AutoCloseable {

	private final RedisTestServer server;

	private final Socket socket;

	private final BufferedReader lines;

	private ServerCalls(RedisTestServer server) throws IOException {
		this.server = server;
		this.socket = new Socket(server.host(), server.port());
		this.lines = new BufferedReader(
				new InputStreamReader(this.socket.getInputStream(), StandardCharsets.ISO_8859_1));
		this.socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
		this.lines.readLine();
	}

	static ServerCalls record(RedisTestServer server) {
		try {
			return new ServerCalls(server);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns the commands since the start or the last call of this method.
	 * @return the lines of {@code MONITOR}
	 */
	List<String> read() {
		String mark = UUID.randomUUID().toString();
		this.server.call("ECHO", mark);
		List<String> read = new ArrayList<>();
		try {
			for (String line = this.lines.readLine(); !line.contains(mark); line = this.lines.readLine()) {
				read.add(line);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return read;
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
