package io.lockable.simulation.redis;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A {@link SimulatedRedis} on a socket of the loopback interface, in real time, so that a
 * real client reaches it.
 */
final class SimulatedRedisSocket implements AutoCloseable {

	private final SimulatedRedis redis = new SimulatedRedis(
			() -> Duration.between(Instant.EPOCH, Instant.now()).toNanos() / 1000);

	private final Map<String, Socket> clients = new ConcurrentHashMap<>();

	private final ServerSocket server;

	SimulatedRedisSocket() throws IOException {
		this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		start(this::accept);
	}

	int port() {
		return this.server.getLocalPort();
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "simulated-redis");
		thread.setDaemon(true);
		thread.start();
	}

	private void accept() {
		try {
			while (true) {
				Socket client = this.server.accept();
				client.setTcpNoDelay(true);
				start(() -> serve(client));
			}
		}
		catch (IOException ex) {
			// The server is closed.
		}
	}

	private void serve(Socket client) {
		String name = client.getRemoteSocketAddress().toString();
		this.clients.put(name, client);
		try (client) {
			DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
			OutputStream out = new BufferedOutputStream(client.getOutputStream());
			while (true) {
				execute(name, words(in), out);
			}
		}
		catch (IOException ex) {
			// The client is gone.
		}
		finally {
			synchronized (this) {
				this.redis.disconnect(name);
				this.clients.remove(name);
			}
		}
	}

	// One command at a time, together with its messages.
	private synchronized void execute(String client, List<String> words, OutputStream out) throws IOException {
		String command = words.get(0).toUpperCase(Locale.ROOT);
		if (command.endsWith("SUBSCRIBE")) {
			boolean subscribes = command.equals("SUBSCRIBE");
			if (subscribes) {
				this.redis.subscribe(words.get(1), client);
			}
			else {
				this.redis.disconnect(client);
			}
			// A client may leave all channels without naming one.
			Reply channel = (words.size() > 1) ? Reply.of(words.get(1)) : Reply.NIL;
			out.write(Resp.encode(new Reply.Array(
					List.of(Reply.of(command.toLowerCase(Locale.ROOT)), channel, Reply.of(subscribes ? 1 : 0)))));
		}
		else {
			try {
				out.write(Resp.encode(this.redis.execute(words)));
			}
			catch (RedisError ex) {
				out.write(Resp.encode(ex));
			}
		}
		out.flush();
		for (SimulatedRedis.Message message : this.redis.takeMessages()) {
			send(message);
		}
	}

	private void send(SimulatedRedis.Message message) throws IOException {
		Socket receiver = this.clients.get(message.connection());
		try {
			receiver.getOutputStream()
				.write(Resp.encode(Reply.of(List.of("message", message.channel(), message.body()))));
		}
		catch (IOException ex) {
			// The receiver is gone, which its own thread finds out.
			receiver.close();
		}
	}

	private static List<String> words(DataInputStream in) throws IOException {
		int count = number(in);
		List<String> words = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			byte[] word = new byte[number(in)];
			in.readFully(word);
			in.skipNBytes(2);
			words.add(new String(word, StandardCharsets.ISO_8859_1));
		}
		return words;
	}

	// Of a line such as "*3" or "$5".
	private static int number(DataInputStream in) throws IOException {
		StringBuilder line = new StringBuilder();
		int read = in.read();
		while (read != '\n') {
			if (read < 0) {
				throw new EOFException();
			}
			line.append((char) read);
			read = in.read();
		}
		return Integer.parseInt(line.substring(1).trim());
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		for (Socket client : this.clients.values()) {
			client.close();
		}
	}

}
