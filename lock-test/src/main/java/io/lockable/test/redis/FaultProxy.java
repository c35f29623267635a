package io.lockable.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * A proxy on the loopback address between a Redis client and a server, which delays,
 * stalls, drops and cuts traffic. Without a fault, it passes every byte.
 *
 * <p>
 * It parses Redis's protocol without TLS (RESP2 and RESP3), unless it is
 * {@linkplain #unparsed unparsed}. It therefore counts replies, matches them to their
 * requests and recognizes messages of subscriptions. The order of bytes in one direction
 * of a connection never changes, as in TCP. A connection that the server refuses is
 * reset. The nodes of a Cluster announce their own addresses, which lead clients past the
 * proxy.
 *
 * <p>
 * Thread-safe. No method blocks; a fault applies to frames (whole requests and replies)
 * that are read after it was set.
 *
 * @since 0.1.0
 * @see ProcessFaults
 */
public final class FaultProxy implements AutoCloseable {

	private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

	private static final int BACKLOG = 512;

	private final InetSocketAddress server;

	private final boolean parsing;

	private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();

	private final AtomicInteger accepted = new AtomicInteger();

	private final AtomicInteger lostReplies = new AtomicInteger();

	private final AtomicReference<@Nullable Predicate<String>> closing = new AtomicReference<>();

	private final ReentrantLock guard = new ReentrantLock();

	private final Condition changed = this.guard.newCondition();

	// Guarded by the lock above, as the faults of frames.
	private final Map<Direction, Duration> delays = new EnumMap<>(Direction.class);

	private final Set<Direction> stalled = EnumSet.noneOf(Direction.class);

	private boolean holdingMessages;

	// Stays free while connections are refused.
	private final int port = RedisServers.freePort();

	// Guarded by this object, as the entrance.
	private @Nullable ServerSocket listening;

	private CompletableFuture<Void> accepting = CompletableFuture.completedFuture(null);

	private volatile boolean closed;

	private FaultProxy(InetSocketAddress server, boolean parsing) {
		this.server = server;
		this.parsing = parsing;
		admit();
	}

	/**
	 * Starts a proxy to a server.
	 * @param server the server
	 * @return the proxy, which the caller closes
	 */
	public static FaultProxy to(RedisTestServer server) {
		return to(server.host(), server.port());
	}

	/**
	 * Starts a proxy to a server.
	 * @param host the server's host
	 * @param port the server's port
	 * @return the proxy, which the caller closes
	 */
	public static FaultProxy to(String host, int port) {
		return new FaultProxy(new InetSocketAddress(host, port), true);
	}

	/**
	 * Starts a proxy to a server of another protocol, such as PostgreSQL's. Its frames
	 * are the bytes that arrive together: usually a whole request or reply, if a client
	 * sends one request after the other. No frame is a message of a subscription.
	 * @param host the server's host
	 * @param port the server's port
	 * @return the proxy, which the caller closes
	 */
	public static FaultProxy unparsed(String host, int port) {
		return new FaultProxy(new InetSocketAddress(host, port), false);
	}

	/**
	 * Returns the host for clients.
	 * @return the loopback address
	 */
	public String host() {
		return LOOPBACK.getHostAddress();
	}

	/**
	 * Returns the port for clients.
	 * @return the port, which never changes
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Delays every request and every reply. Frames keep their order and are delayed
	 * concurrently: the delay adds latency, but does not limit throughput.
	 * @param eachWay the delay of each direction; zero for none
	 */
	public void delay(Duration eachWay) {
		delay(Direction.REQUESTS, eachWay);
		delay(Direction.REPLIES, eachWay);
	}

	/**
	 * Delays one direction.
	 * @param direction the direction
	 * @param delay the delay; zero for none
	 */
	public void delay(Direction direction, Duration delay) {
		change(() -> this.delays.put(direction, delay));
	}

	/**
	 * Holds all frames back until {@link #resume()}, also on new connections. Connections
	 * stay open; the end of a connection is held back like its bytes.
	 * @param directions the directions; both if empty
	 */
	public void stall(Direction... directions) {
		change(() -> this.stalled.addAll(setOf(directions)));
	}

	/**
	 * Delivers stalled frames in order, and ends the stall of both directions.
	 */
	public void resume() {
		change(this.stalled::clear);
	}

	/**
	 * Holds back the messages of subscriptions until {@link #releaseMessages()}. Requests
	 * and replies of other connections pass. On the connection of a subscription, replies
	 * behind a message wait with it.
	 */
	public void holdMessages() {
		change(() -> this.holdingMessages = true);
	}

	/**
	 * Delivers the held messages, in order.
	 */
	public void releaseMessages() {
		change(() -> this.holdingMessages = false);
	}

	/**
	 * Returns the number of messages that the server has sent and no client has received.
	 * @return messages of subscriptions that are held back, delayed or stalled
	 */
	public int heldMessages() {
		return this.connections.stream().mapToInt(ProxyConnection::heldMessages).sum();
	}

	/**
	 * Closes all connections by FIN, as a server does that shuts down. Frames inside the
	 * proxy are lost. New connections are accepted.
	 */
	public void cut() {
		this.connections.forEach(ProxyConnection::cut);
	}

	/**
	 * Closes all connections by RST, as a firewall or a crashed host does. Frames inside
	 * the proxy are lost. New connections are accepted.
	 */
	public void reset() {
		this.connections.forEach(ProxyConnection::reset);
	}

	/**
	 * Drops the bytes of all present connections, and their ends, until {@link #heal()}
	 * resets them. Client and server both keep their end of the connection open. New
	 * connections are not affected.
	 * @param directions the directions; both if empty. With {@link Direction#REPLIES}
	 * alone, the server executes the requests.
	 */
	public void halfOpen(Direction... directions) {
		this.connections.forEach((connection) -> connection.halfOpen(setOf(directions)));
	}

	/**
	 * Closes a connection by FIN in place of the n-th reply from now on, once. The server
	 * has executed the request, and the client does not receive the answer. Earlier
	 * replies arrive. Connections of subscriptions do not count.
	 * @param nth 1 for the next reply
	 */
	public void closeBeforeReply(int nth) {
		AtomicInteger left = new AtomicInteger(nth);
		closeBeforeReply((request) -> left.decrementAndGet() <= 0);
	}

	/**
	 * Closes a connection by FIN in place of the next reply to a matching request, once.
	 * The server has executed the request, and the client does not receive the answer.
	 * @param request matches a request: its command and arguments, separated by spaces
	 */
	public void closeBeforeReply(Predicate<String> request) {
		this.closing.set(request);
	}

	/**
	 * Returns the number of replies that {@link #closeBeforeReply} and {@link #halfOpen}
	 * have dropped so far.
	 * @return the number of lost replies
	 */
	public int lostReplies() {
		return this.lostReplies.get();
	}

	/**
	 * Refuses new connections (ECONNREFUSED) until {@link #admit()}. Present connections
	 * stay open.
	 */
	public synchronized void refuse() {
		try {
			if (this.listening != null) {
				this.listening.close();
				this.listening = null;
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		// The system frees the port when the thread has left accept().
		this.accepting.join();
	}

	/**
	 * Accepts new connections again.
	 */
	public synchronized void admit() {
		if (this.listening != null) {
			return;
		}
		try {
			ServerSocket opened = new ServerSocket(this.port, BACKLOG, LOOPBACK);
			this.listening = opened;
			this.accepting = CompletableFuture.runAsync(() -> accept(opened),
					(task) -> newThread("accepts", task).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Ends all faults. Held frames are delivered; half-open connections are reset.
	 */
	public void heal() {
		change(() -> {
			this.delays.clear();
			this.stalled.clear();
			this.holdingMessages = false;
		});
		this.closing.set(null);
		this.connections.stream().filter(ProxyConnection::isHalfOpen).forEach(ProxyConnection::reset);
		admit();
	}

	/**
	 * Returns the number of connections that clients currently hold open.
	 * @return open connections
	 */
	public int connections() {
		return (int) this.connections.stream().filter(ProxyConnection::isOpen).count();
	}

	/**
	 * Returns the number of connections accepted since the start.
	 * @return all connections, open and closed
	 */
	public int acceptedConnections() {
		return this.accepted.get();
	}

	/**
	 * Resets all connections and frees the port. Idempotent.
	 */
	@Override
	public void close() {
		this.closed = true;
		refuse();
		reset();
	}

	private void accept(ServerSocket opened) {
		while (!opened.isClosed()) {
			try {
				Socket client = opened.accept();
				this.accepted.incrementAndGet();
				newThread("connects", () -> connect(client)).start();
			}
			catch (IOException ex) {
				// Refused or closed.
			}
		}
	}

	private void connect(Socket client) {
		Socket onward = new Socket();
		try {
			onward.connect(this.server);
			onward.setTcpNoDelay(true);
			client.setTcpNoDelay(true);
			ProxyConnection connection = new ProxyConnection(this, client, onward);
			this.connections.add(connection);
			connection.start();
			if (this.closed) {
				connection.reset();
			}
		}
		catch (IOException ex) {
			ProxyConnection.reset(client);
			ProxyConnection.reset(onward);
		}
	}

	boolean isParsing() {
		return this.parsing;
	}

	static Thread newThread(String name, Runnable task) {
		Thread thread = new Thread(task, "fault-proxy-" + name.toLowerCase(Locale.ROOT));
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * Forgets a connection whose ends are both closed.
	 * @param connection the connection
	 */
	void closed(ProxyConnection connection) {
		this.connections.remove(connection);
	}

	/**
	 * Blocks until a frame may pass.
	 * @param direction the direction of the frame
	 * @param message whether it is a message of a subscription
	 * @param arrival the time of its arrival, in the system's nanoseconds
	 * @throws InterruptedException if its connection is closed
	 */
	void awaitPassage(Direction direction, boolean message, long arrival) throws InterruptedException {
		this.guard.lockInterruptibly();
		try {
			while (true) {
				long left = arrival + this.delays.getOrDefault(direction, Duration.ZERO).toNanos() - System.nanoTime();
				if (this.stalled.contains(direction) || (message && this.holdingMessages)) {
					this.changed.await();
				}
				else if (left > 0) {
					this.changed.await(left, TimeUnit.NANOSECONDS);
				}
				else {
					return;
				}
			}
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Returns whether to close the connection instead of delivering a reply. Returns
	 * {@code true} once for each fault.
	 * @param request the request of that reply
	 * @return whether the reply is lost
	 */
	boolean closesBeforeReplyTo(RespFrame request) {
		Predicate<String> fault = this.closing.get();
		boolean closes = fault != null && fault.test(request.text(" ")) && this.closing.compareAndSet(fault, null);
		if (closes) {
			countLostReply();
		}
		return closes;
	}

	void countLostReply() {
		this.lostReplies.incrementAndGet();
	}

	private void change(Runnable change) {
		this.guard.lock();
		try {
			change.run();
			this.changed.signalAll();
		}
		finally {
			this.guard.unlock();
		}
	}

	private static Set<Direction> setOf(Direction... directions) {
		return (directions.length == 0) ? EnumSet.allOf(Direction.class) : EnumSet.copyOf(Arrays.asList(directions));
	}

	/**
	 * A direction of a connection.
	 */
	public enum Direction {

		/**
		 * From the client to the server.
		 */
		REQUESTS,

		/**
		 * From the server to the client, including messages of subscriptions.
		 */
		REPLIES

	}

}
