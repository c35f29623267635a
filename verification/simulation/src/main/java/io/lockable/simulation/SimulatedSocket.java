package io.lockable.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.simulation.redis.Reply;
import io.lockable.simulation.redis.Resp;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * A socket that is connected to a simulated server. A read parks its thread until bytes
 * arrive, the read timeout is over, or the client notices that the connection is closed.
 * An interrupt does not end a read, as on a real socket.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread runs at a time
final class SimulatedSocket extends Socket {

	private final SimulatedServer server;

	private final Link link;

	private final ByteBuf written = Unpooled.buffer(512);

	private final ByteBuf received = Unpooled.buffer(64);

	private final Deque<List<String>> unanswered = new ArrayDeque<>();

	private CompletableFuture<@Nullable Object> arrival = new CompletableFuture<>();

	private int timeout;

	private boolean ended;

	private boolean closed;

	/**
	 * Connects a socket.
	 * @param actor the instance
	 * @param server the server
	 * @param name the name of the connection
	 * @param timeout the read timeout in milliseconds
	 */
	SimulatedSocket(Actor actor, SimulatedServer server, String name, int timeout) {
		this.server = server;
		this.timeout = timeout;
		this.link = new Link(actor, server, name, this::end);
	}

	private void end() {
		this.ended = true;
		this.arrival.complete(null);
	}

	/**
	 * Returns whether a command that is not answered mentions a text.
	 * @param text the text
	 * @return whether such a command is open
	 */
	boolean isOpenFor(String text) {
		return !this.closed && this.unanswered.stream().anyMatch((words) -> words.contains(text));
	}

	private void send(List<String> words) {
		switch (words.get(0)) {
			case "SUBSCRIBE" -> this.link.toServer(() -> {
				String channel = words.get(1);
				this.server.subscribe(channel, this.link,
						(body) -> this.link.publish(() -> receive(Reply.of(List.of("message", channel, body)))));
				this.link.toClient(() -> receive(confirmation("subscribe", Reply.of(channel), 1)));
			});
			case "UNSUBSCRIBE" -> this.link.toServer(() -> {
				this.server.unsubscribe(this.link);
				Reply channel = (words.size() > 1) ? Reply.of(words.get(1)) : Reply.NIL;
				this.link.toClient(() -> receive(confirmation("unsubscribe", channel, 0)));
			});
			default -> {
				this.unanswered.add(words);
				this.link
					.toServer(() -> this.server.execute(this.link.name(), words, (reply) -> this.link.toClient(() -> {
						this.unanswered.remove();
						receive(reply);
					})));
			}
		}
	}

	private static Reply confirmation(String what, Reply channel, long count) {
		return new Reply.Array(List.of(Reply.of(what), channel, Reply.of(count)));
	}

	private void receive(Object reply) {
		this.received.writeBytes(Resp.encode(reply));
		this.arrival.complete(null);
	}

	private int read(byte[] bytes, int offset, int length) throws IOException {
		if (!this.received.isReadable() && !this.ended && !this.closed) {
			Scheduler scheduler = this.server.scheduler();
			this.arrival = new CompletableFuture<>();
			scheduler.await(this.arrival,
					(this.timeout > 0) ? scheduler.now() + this.timeout * 1_000_000L : Long.MAX_VALUE);
		}
		if (this.closed) {
			throw new SocketException("Socket closed");
		}
		if (this.received.isReadable()) {
			int count = Math.min(length, this.received.readableBytes());
			this.received.readBytes(bytes, offset, count);
			this.received.discardReadBytes();
			return count;
		}
		if (!this.ended) {
			throw new SocketTimeoutException("Read timed out");
		}
		return -1;
	}

	private void flush() throws IOException {
		if (this.written.isReadable() && (this.ended || this.closed)) {
			throw new SocketException("Broken pipe");
		}
		while (this.written.isReadable()) {
			send(Resp.words(this.written));
		}
		this.written.clear();
	}

	@Override
	public InputStream getInputStream() {
		return new InputStream() {

			@Override
			public int read() throws IOException {
				byte[] one = new byte[1];
				return (read(one, 0, 1) < 0) ? -1 : one[0] & 0xff;
			}

			@Override
			public int read(byte[] bytes, int offset, int length) throws IOException {
				return SimulatedSocket.this.read(bytes, offset, length);
			}

			@Override
			public int available() {
				return SimulatedSocket.this.received.readableBytes();
			}

		};
	}

	@Override
	public OutputStream getOutputStream() {
		return new OutputStream() {

			@Override
			public void write(int value) {
				SimulatedSocket.this.written.writeByte(value);
			}

			@Override
			public void write(byte[] bytes, int offset, int length) {
				SimulatedSocket.this.written.writeBytes(bytes, offset, length);
			}

			@Override
			public void flush() throws IOException {
				SimulatedSocket.this.flush();
			}

		};
	}

	@Override
	public void setSoTimeout(int millis) {
		this.timeout = millis;
	}

	@Override
	public int getSoTimeout() {
		return this.timeout;
	}

	@Override
	public boolean isBound() {
		return true;
	}

	@Override
	public boolean isConnected() {
		return true;
	}

	@Override
	public boolean isClosed() {
		return this.closed;
	}

	@Override
	public void close() {
		this.closed = true;
		this.link.finish();
		this.arrival.complete(null);
	}

}
