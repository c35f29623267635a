package io.lockable.test.redis;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

import io.lockable.test.redis.FaultProxy.Direction;

/**
 * A client's connection to a proxy and the proxy's connection to the server.
 */
final class ProxyConnection {

	private final Socket client;

	private final Socket server;

	private final ProxyFaults faults;

	private final Consumer<ProxyConnection> onClose;

	private final ProxyStream requests;

	private final ProxyStream replies;

	private final Queue<RespFrame> unanswered = new ConcurrentLinkedQueue<>();

	private volatile boolean subscribed;

	private volatile boolean halfOpen;

	private volatile boolean losingReplies;

	private volatile boolean cut;

	/**
	 * Creates a connection.
	 * @param client the client's end
	 * @param server the server's end
	 * @param faults the faults of the proxy
	 * @param onClose receives this connection when both ends are closed
	 */
	ProxyConnection(Socket client, Socket server, ProxyFaults faults, Consumer<ProxyConnection> onClose) {
		this.client = client;
		this.server = server;
		this.faults = faults;
		this.onClose = onClose;
		this.requests = new ProxyStream(this, faults, Direction.REQUESTS, client, server);
		this.replies = new ProxyStream(this, faults, Direction.REPLIES, server, client);
	}

	void start() {
		this.requests.start();
		this.replies.start();
	}

	boolean isOpen() {
		return !this.cut && !this.requests.isRead();
	}

	boolean isHalfOpen() {
		return this.halfOpen;
	}

	int heldMessages() {
		return this.replies.heldMessages();
	}

	boolean isMessage(Direction direction, RespFrame frame) {
		return direction == Direction.REPLIES && this.subscribed && frame.isMessage();
	}

	/**
	 * Processes an arrived frame, and decides whether it passes.
	 * @param direction the direction of the frame
	 * @param frame the frame
	 * @return whether to deliver it
	 * @throws IOException if the connection fails
	 * @throws InterruptedException if the connection is closed
	 */
	boolean arrived(Direction direction, RespFrame frame) throws IOException, InterruptedException {
		if (direction == Direction.REQUESTS) {
			this.subscribed = this.subscribed || frame.isSubscription();
			if (!this.subscribed) {
				this.unanswered.add(frame);
			}
			return true;
		}
		// Each channel of a subscription has its own confirmation, and messages answer no
		// request.
		RespFrame request = (this.subscribed || frame.isPush()) ? null : this.unanswered.poll();
		if (this.losingReplies) {
			this.faults.countLostReply();
		}
		else if (request != null && this.faults.closesBeforeReplyTo(request)) {
			this.cut = true;
			this.requests.endNow();
			this.replies.endAfterWaiting();
			return false;
		}
		return true;
	}

	void halfOpen(Set<Direction> directions) {
		this.halfOpen = true;
		if (directions.contains(Direction.REQUESTS)) {
			this.requests.silence();
		}
		if (directions.contains(Direction.REPLIES)) {
			this.losingReplies = true;
			this.replies.silence();
		}
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
		this.requests.interrupt();
		this.replies.interrupt();
		reset(this.client);
		reset(this.server);
		this.onClose.accept(this);
	}

	void closeIfOver() {
		if (this.requests.isOver() && this.replies.isOver()) {
			this.requests.interrupt();
			this.replies.interrupt();
			close(this.client);
			close(this.server);
			this.onClose.accept(this);
		}
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

}
