package io.lockable.test.redis;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.lockable.test.redis.FaultProxy.Direction;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection to a proxy and the proxy's connection to the server, with a
 * stream in each direction.
 */
final class ProxyConnection {

	private final FaultProxy proxy;

	private final Socket client;

	private final Socket server;

	private final Stream requests;

	private final Stream replies;

	private final Queue<RespFrame> unanswered = new ConcurrentLinkedQueue<>();

	private volatile boolean subscribed;

	private volatile Set<Direction> halfOpen = Set.of();

	private volatile boolean cut;

	/**
	 * Creates a connection.
	 * @param proxy the proxy, with its faults
	 * @param client the client's end
	 * @param server the server's end
	 */
	ProxyConnection(FaultProxy proxy, Socket client, Socket server) {
		this.proxy = proxy;
		this.client = client;
		this.server = server;
		this.requests = new Stream(Direction.REQUESTS, client, server);
		this.replies = new Stream(Direction.REPLIES, server, client);
	}

	void start() {
		this.requests.start();
		this.replies.start();
	}

	boolean isOpen() {
		return !this.cut && !this.requests.read;
	}

	boolean isHalfOpen() {
		return !this.halfOpen.isEmpty();
	}

	int heldMessages() {
		return this.replies.heldMessages();
	}

	/**
	 * Matches a request to its reply, and applies the faults of replies.
	 * @param direction the direction of the frame
	 * @param frame the frame that has arrived
	 * @throws IOException if the connection fails
	 */
	private void arrived(Direction direction, RespFrame frame) throws IOException {
		if (direction == Direction.REQUESTS) {
			this.subscribed = this.subscribed || frame.isSubscription();
			if (!this.subscribed) {
				this.unanswered.add(frame);
			}
			return;
		}
		// Each channel of a subscription has its own confirmation, and messages answer no
		// request.
		RespFrame request = (this.subscribed || frame.isPush()) ? null : this.unanswered.poll();
		if (this.halfOpen.contains(Direction.REPLIES)) {
			this.proxy.countLostReply();
		}
		else if (request != null && this.proxy.closesBeforeReplyTo(request)) {
			this.cut = true;
			this.requests.endNow();
			this.replies.endAfterWaiting();
		}
	}

	void halfOpen(Set<Direction> directions) {
		this.halfOpen = directions;
		directions.forEach((direction) -> ((direction == Direction.REQUESTS) ? this.requests : this.replies).drop());
	}

	/**
	 * Closes both ends by FIN. Their sockets are closed after the peers have closed
	 * theirs: earlier, incoming bytes would make the system send RST.
	 */
	void cut() {
		if (this.cut) {
			return;
		}
		this.cut = true;
		try {
			this.replies.endNow();
			this.requests.endNow();
		}
		catch (IOException ex) {
			reset();
		}
	}

	/**
	 * Closes both ends by RST.
	 */
	void reset() {
		this.cut = true;
		end(ProxyConnection::reset);
	}

	private void closeIfOver() {
		if (this.requests.isOver() && this.replies.isOver()) {
			end(ProxyConnection::close);
		}
	}

	private void end(Consumer<Socket> closing) {
		this.requests.drop();
		this.replies.drop();
		closing.accept(this.client);
		closing.accept(this.server);
		this.proxy.closed(this);
	}

	static void reset(Socket socket) {
		try {
			socket.setSoLinger(true, 0);
		}
		catch (SocketException ex) {
			// Already closed.
		}
		close(socket);
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// Closed as well.
		}
	}

	/**
	 * One direction of a connection: a thread that reads frames and one that delivers
	 * them, in order. The queue of the latter contains the delayed or stalled frames.
	 */
	private final class Stream {

		private final Direction direction;

		private final Socket from;

		private final Socket to;

		private final ExecutorService writer;

		private final AtomicInteger messages = new AtomicInteger();

		private volatile boolean read;

		private volatile boolean over;

		Stream(Direction direction, Socket from, Socket to) {
			this.direction = direction;
			this.from = from;
			this.to = to;
			// Frames that arrive after the end are discarded.
			this.writer = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
					(task) -> FaultProxy.newThread("writes-" + direction, task),
					new ThreadPoolExecutor.DiscardPolicy());
		}

		void start() {
			FaultProxy.newThread("reads-" + this.direction, this::readAll).start();
		}

		boolean isOver() {
			return this.read && this.over;
		}

		int heldMessages() {
			return this.over ? 0 : this.messages.get();
		}

		/**
		 * Drops the queued frames, all later ones, and the end of the stream as well.
		 */
		void drop() {
			this.over = true;
			this.writer.shutdownNow();
		}

		/**
		 * Ends the stream immediately. Queued frames are lost.
		 * @throws IOException if it cannot be ended
		 */
		void endNow() throws IOException {
			drop();
			this.to.shutdownOutput();
		}

		/**
		 * Delivers the queued frames, and then the end of the stream.
		 */
		void endAfterWaiting() {
			pass(null);
			this.writer.shutdown();
		}

		private void readAll() {
			try {
				InputStream in = new BufferedInputStream(this.from.getInputStream());
				for (RespFrame frame = read(in); frame != null; frame = read(in)) {
					arrived(this.direction, frame);
					pass(frame);
				}
				endAfterWaiting();
			}
			catch (IOException | RuntimeException ex) {
				resetUnlessOver();
			}
			finally {
				this.read = true;
				closeIfOver();
			}
		}

		private @Nullable RespFrame read(InputStream in) throws IOException {
			return ProxyConnection.this.proxy.isParsing() ? RespFrame.read(in) : RespFrame.readUnparsed(in);
		}

		private void pass(@Nullable RespFrame frame) {
			boolean message = frame != null && this == ProxyConnection.this.replies && ProxyConnection.this.subscribed
					&& frame.isMessage();
			long arrival = System.nanoTime();
			this.messages.addAndGet(message ? 1 : 0);
			this.writer.execute(() -> deliver(frame, message, arrival));
		}

		private void deliver(@Nullable RespFrame frame, boolean message, long arrival) {
			try {
				ProxyConnection.this.proxy.awaitPassage(this.direction, message, arrival);
				if (frame != null) {
					frame.writeTo(this.to.getOutputStream());
					this.messages.addAndGet(message ? -1 : 0);
				}
				else {
					this.to.shutdownOutput();
					this.over = true;
					closeIfOver();
				}
			}
			catch (IOException ex) {
				resetUnlessOver();
			}
			catch (InterruptedException ex) {
				// The stream is dropped.
			}
		}

		private void resetUnlessOver() {
			if (!this.over) {
				reset();
			}
		}

	}

}
