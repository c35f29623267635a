package io.lockable.test.redis;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.test.redis.FaultProxy.Direction;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a connection: a thread that reads frames and one that delivers them,
 * in order. A queue between them contains the delayed or stalled frames. If the queue is
 * full, reading stops, and the sender's writes block as in a real network.
 */
final class ProxyStream {

	private static final int CAPACITY = 4096;

	private static final Passage END = new Passage(null, false, 0);

	private final ProxyConnection connection;

	private final ProxyFaults faults;

	private final Direction direction;

	private final Socket from;

	private final Socket to;

	private final BlockingQueue<Passage> waiting = new LinkedBlockingQueue<>(CAPACITY);

	private final AtomicInteger messages = new AtomicInteger();

	private final Thread reader;

	private final Thread writer;

	private volatile boolean dropping;

	private volatile boolean silent;

	private volatile boolean read;

	private volatile boolean written;

	ProxyStream(ProxyConnection connection, ProxyFaults faults, Direction direction, Socket from, Socket to) {
		this.connection = connection;
		this.faults = faults;
		this.direction = direction;
		this.from = from;
		this.to = to;
		this.reader = FaultProxy.newThread("reads-" + direction, this::readAll);
		this.writer = FaultProxy.newThread("writes-" + direction, this::writeAll);
	}

	void start() {
		this.reader.start();
		this.writer.start();
	}

	boolean isRead() {
		return this.read;
	}

	boolean isOver() {
		return this.read && (this.written || this.silent);
	}

	int heldMessages() {
		return this.messages.get();
	}

	/**
	 * Drops all frames from now on, and the end of the stream as well.
	 */
	void silence() {
		this.silent = true;
		drop();
	}

	/**
	 * Delivers the queued frames, and then the end of the stream.
	 * @throws InterruptedException if the connection is closed meanwhile
	 */
	void endAfterWaiting() throws InterruptedException {
		this.dropping = true;
		this.waiting.put(END);
	}

	/**
	 * Ends the stream immediately. Queued frames are lost.
	 * @throws IOException if it cannot be ended
	 */
	void endNow() throws IOException {
		drop();
		this.writer.interrupt();
		this.to.shutdownOutput();
	}

	void interrupt() {
		this.dropping = true;
		this.reader.interrupt();
		this.writer.interrupt();
	}

	private void drop() {
		this.dropping = true;
		this.waiting.clear();
		this.messages.set(0);
	}

	private void readAll() {
		try {
			InputStream in = new BufferedInputStream(this.from.getInputStream());
			for (RespFrame frame = RespFrame.read(in); frame != null; frame = RespFrame.read(in)) {
				boolean passes = this.connection.arrived(this.direction, frame);
				if (passes && !this.dropping) {
					boolean message = this.connection.isMessage(this.direction, frame);
					this.messages.addAndGet(message ? 1 : 0);
					this.waiting.put(new Passage(frame, message, System.nanoTime()));
				}
			}
			if (!this.dropping) {
				this.waiting.put(END);
			}
		}
		catch (IOException | RuntimeException ex) {
			if (!this.dropping) {
				this.connection.reset();
			}
		}
		catch (InterruptedException ex) {
			// The connection is closed.
		}
		finally {
			this.read = true;
			this.connection.closeIfOver();
		}
	}

	private void writeAll() {
		try {
			while (true) {
				Passage next = this.waiting.take();
				this.faults.awaitPassage(this.direction, next.message(), next.arrival());
				if (next.frame() == null) {
					this.to.shutdownOutput();
					return;
				}
				if (!this.silent) {
					next.frame().writeTo(this.to.getOutputStream());
				}
				this.messages.updateAndGet((held) -> Math.max(0, held - (next.message() ? 1 : 0)));
			}
		}
		catch (IOException ex) {
			if (!this.dropping) {
				this.connection.reset();
			}
		}
		catch (InterruptedException ex) {
			// The connection is closed.
		}
		finally {
			this.written = true;
			this.connection.closeIfOver();
		}
	}

	/**
	 * A frame in the queue, or the end of the stream.
	 *
	 * @param frame the frame, or {@code null} for the end
	 * @param message whether it is a message of a subscription
	 * @param arrival the time at which it was read
	 */
	private record Passage(@Nullable RespFrame frame, boolean message, long arrival) {

	}

}
