package io.lockable.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The port of a proxy, which accepts or refuses connections. Thread-safe.
 */
final class ProxyEntrance implements AutoCloseable {

	private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

	private static final int BACKLOG = 512;

	private final Consumer<Socket> accepter;

	private final AtomicInteger accepted = new AtomicInteger();

	private int port;

	private @Nullable ServerSocket listening;

	private @Nullable Thread acceptor;

	/**
	 * Keeps the port while connections are refused: it is bound and does not listen.
	 */
	private @Nullable Socket placeholder;

	ProxyEntrance(Consumer<Socket> accepter) {
		this.accepter = accepter;
	}

	InetAddress address() {
		return LOOPBACK;
	}

	synchronized int port() {
		return this.port;
	}

	int accepted() {
		return this.accepted.get();
	}

	synchronized void open() {
		if (this.listening != null) {
			return;
		}
		try {
			if (this.placeholder != null) {
				this.placeholder.close();
				this.placeholder = null;
			}
			ServerSocket opened = new ServerSocket(this.port, BACKLOG, LOOPBACK);
			this.port = opened.getLocalPort();
			this.listening = opened;
			this.acceptor = FaultProxy.newThread("accepts", () -> accept(opened));
			this.acceptor.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	synchronized void shut() {
		if (this.listening == null) {
			return;
		}
		try {
			stopListening();
			this.placeholder = new Socket();
			this.placeholder.setReuseAddress(true);
			this.placeholder.bind(new InetSocketAddress(LOOPBACK, this.port));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public synchronized void close() {
		try (Socket bound = this.placeholder) {
			this.placeholder = null;
			stopListening();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Frees the port. The system frees it when the thread has left {@code accept()}.
	 */
	private void stopListening() throws IOException {
		if (this.listening == null || this.acceptor == null) {
			return;
		}
		this.listening.close();
		this.listening = null;
		try {
			this.acceptor.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void accept(ServerSocket opened) {
		while (!opened.isClosed()) {
			try {
				Socket client = opened.accept();
				this.accepted.incrementAndGet();
				FaultProxy.newThread("connects", () -> this.accepter.accept(client)).start();
			}
			catch (IOException ex) {
				// Refused or closed.
			}
		}
	}

}
