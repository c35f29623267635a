package io.lockable.test.redis;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * A proxy on the loopback address between a Redis client and a server, which delays,
 * stalls, drops and cuts traffic. Without a fault, it passes every byte.
 *
 * <p>
 * It parses Redis's protocol without TLS (RESP2 and RESP3). It therefore counts replies,
 * matches them to their requests and recognizes messages of subscriptions. The order of
 * bytes in one direction of a connection never changes, as in TCP. A connection that the
 * server refuses is reset. The nodes of a Cluster announce their own addresses, which
 * lead clients past the proxy.
 *
 * <p>
 * Thread-safe. No method blocks; a fault applies to frames (whole requests and replies)
 * that are read after it was set.
 *
 * @since 0.1.0
 * @see ProcessFaults
 */
public final class FaultProxy implements AutoCloseable {

	private final InetSocketAddress server;

	private final ProxyEntrance entrance;

	private final ProxyFaults faults = new ProxyFaults();

	private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	private FaultProxy(InetSocketAddress server) {
		this.server = server;
		this.entrance = new ProxyEntrance(this::connect);
		this.entrance.open();
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
		return new FaultProxy(new InetSocketAddress(host, port));
	}

	/**
	 * Returns the host for clients.
	 * @return the loopback address
	 */
	public String host() {
		return this.entrance.address().getHostAddress();
	}

	/**
	 * Returns the port for clients.
	 * @return the port, which never changes
	 */
	public int port() {
		return this.entrance.port();
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
		this.faults.delay(direction, delay);
	}

	/**
	 * Holds all frames back until {@link #resume()}, also on new connections. Connections
	 * stay open; the end of a connection is held back like its bytes.
	 * @param directions the directions; both if empty
	 */
	public void stall(Direction... directions) {
		this.faults.stall(setOf(directions));
	}

	/**
	 * Delivers stalled frames in order, and ends the stall of both directions.
	 */
	public void resume() {
		this.faults.resume();
	}

	/**
	 * Holds back the messages of subscriptions until {@link #releaseMessages()}. Requests
	 * and replies of other connections pass. On the connection of a subscription, replies
	 * behind a message wait with it.
	 */
	public void holdMessages() {
		this.faults.holdMessages(true);
	}

	/**
	 * Delivers the held messages, in order.
	 */
	public void releaseMessages() {
		this.faults.holdMessages(false);
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
		this.faults.closeBeforeReplyTo((request) -> left.decrementAndGet() <= 0);
	}

	/**
	 * Closes a connection by FIN in place of the next reply to a matching request, once.
	 * The server has executed the request, and the client does not receive the answer.
	 * @param request matches a request: its command and arguments, separated by spaces
	 */
	public void closeBeforeReply(Predicate<String> request) {
		this.faults.closeBeforeReplyTo((frame) -> request.test(frame.text()));
	}

	/**
	 * Returns the number of replies that {@link #closeBeforeReply} and {@link #halfOpen}
	 * have dropped so far.
	 * @return the number of lost replies
	 */
	public int lostReplies() {
		return this.faults.lostReplies();
	}

	/**
	 * Refuses new connections (ECONNREFUSED) until {@link #admit()}. Present connections
	 * stay open.
	 */
	public void refuse() {
		this.entrance.shut();
	}

	/**
	 * Accepts new connections again.
	 */
	public void admit() {
		this.entrance.open();
	}

	/**
	 * Ends all faults. Held frames are delivered; half-open connections are reset.
	 */
	public void heal() {
		this.faults.heal();
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
		return this.entrance.accepted();
	}

	/**
	 * Resets all connections and frees the port. Idempotent.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.entrance.close();
		reset();
	}

	static Thread newThread(String name, Runnable task) {
		Thread thread = new Thread(task, "fault-proxy-" + name.toLowerCase(Locale.ROOT));
		thread.setDaemon(true);
		return thread;
	}

	private void connect(Socket client) {
		Socket onward = new Socket();
		try {
			onward.connect(this.server);
			onward.setTcpNoDelay(true);
			client.setTcpNoDelay(true);
			ProxyConnection connection = new ProxyConnection(client, onward, this.faults, this.connections::remove);
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
