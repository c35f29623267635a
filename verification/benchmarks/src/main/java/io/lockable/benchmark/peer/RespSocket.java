package io.lockable.benchmark.peer;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A minimal Redis client: one command and one reply at a time, on one thread.
 */
final class RespSocket implements AutoCloseable {

	private final Socket socket;

	private final InputStream in;

	private final ByteArrayOutputStream command = new ByteArrayOutputStream(256);

	RespSocket(RedisAddress redis) {
		try {
			this.socket = new Socket(redis.host(), redis.port());
			this.socket.setTcpNoDelay(true);
			this.in = new BufferedInputStream(this.socket.getInputStream());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Sends a command and waits for its reply.
	 * @param arguments the command's name and arguments
	 * @return the reply as text; empty for a null reply
	 */
	String call(String... arguments) {
		try {
			this.command.reset();
			write("*" + arguments.length + "\r\n");
			for (String argument : arguments) {
				write("$" + argument.length() + "\r\n" + argument + "\r\n");
			}
			this.command.writeTo(this.socket.getOutputStream());
			return readReply();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void write(String ascii) {
		this.command.writeBytes(ascii.getBytes(StandardCharsets.US_ASCII));
	}

	private String readReply() throws IOException {
		int type = this.in.read();
		String line = readLine();
		return switch (type) {
			case '+', ':' -> line;
			case '$' -> "-1".equals(line) ? "" : readLine();
			case '-' -> throw new IOException("Redis answered " + line);
			default -> throw new EOFException("Redis closed the connection or answered with type " + type);
		};
	}

	private String readLine() throws IOException {
		StringBuilder line = new StringBuilder(48);
		for (int next = this.in.read(); next != '\n'; next = this.in.read()) {
			if (next < 0) {
				throw new EOFException("Redis closed the connection");
			}
			if (next != '\r') {
				line.append((char) next);
			}
		}
		return line.toString();
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
