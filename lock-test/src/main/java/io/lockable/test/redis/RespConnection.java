package io.lockable.test.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A minimal Redis client for queries to a test server, so that test support depends on no
 * other client.
 */
final class RespConnection implements AutoCloseable {

	static final int TIMEOUT_MILLIS = 5000;

	private final Socket socket = new Socket();

	private final InputStream in;

	RespConnection(String host, int port) {
		this(host, port, TIMEOUT_MILLIS);
	}

	RespConnection(String host, int port, int timeoutMillis) {
		try {
			this.socket.connect(new InetSocketAddress(host, port), timeoutMillis);
			this.socket.setSoTimeout(timeoutMillis);
			this.socket.setTcpNoDelay(true);
			this.in = new BufferedInputStream(this.socket.getInputStream());
		}
		catch (IOException ex) {
			close();
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns whether a server answers.
	 * @param server the server
	 * @param timeoutMillis the longest wait for the connection and the answer
	 * @return whether it is ready for commands
	 */
	static boolean answers(RedisTestServer server, int timeoutMillis) {
		try (RespConnection connection = new RespConnection(server.host(), server.port(), timeoutMillis)) {
			return connection.call("PING").equals("PONG");
		}
		catch (UncheckedIOException | IllegalStateException ex) {
			return false;
		}
	}

	String call(String... command) {
		try {
			send(command);
			return readReply();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void send(String... command) throws IOException {
		ByteArrayOutputStream request = new ByteArrayOutputStream();
		request.writeBytes(bytes("*" + command.length + "\r\n"));
		for (String argument : command) {
			request.writeBytes(bytes("$" + bytes(argument).length + "\r\n" + argument + "\r\n"));
		}
		this.socket.getOutputStream().write(request.toByteArray());
	}

	void timeout(int timeoutMillis) throws IOException {
		this.socket.setSoTimeout(timeoutMillis);
	}

	/**
	 * Reads one more reply, such as those of MONITOR.
	 * @return the reply as text
	 * @throws IOException if the connection is closed or nothing arrives in time
	 */
	String readReply() throws IOException {
		RespFrame reply = RespFrame.read(this.in);
		if (reply == null) {
			throw new EOFException("Redis closed the connection");
		}
		String text = reply.text("\n");
		if (reply.isError()) {
			throw new IllegalStateException("Redis answered: " + text);
		}
		return text;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
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
