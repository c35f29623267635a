package io.lockable.sample;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import redis.embedded.RedisExecProvider;

/**
 * The embedded Redis server as a process. It saves its data when it ends, so a restart
 * keeps stock and locks.
 */
final class RedisProcess {

	private final File executable;

	private final int port;

	private Process process;

	RedisProcess() throws IOException {
		this.executable = RedisExecProvider.defaultProvider().get();
		this.port = freePort();
		new File(this.executable.getParent(), "dump.rdb").deleteOnExit();
		this.process = start();
	}

	/**
	 * Finds a free port outside of the ephemeral ports: no client takes it while the
	 * server restarts.
	 */
	private static int freePort() throws IOException {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(10_000, 32_000);
			try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
				return free.getLocalPort();
			}
			catch (BindException ex) {
				// Another process uses the port: try the next one.
			}
		}
	}

	private Process start() {
		Process started = ChildProcesses.start(
				List.of(this.executable.getPath(), "--port", Integer.toString(this.port), "--bind", "127.0.0.1",
						"--save", "3600 1", "--dir", this.executable.getParent(), "--daemonize", "no"),
				Redirect.DISCARD);
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
		try {
			while (!answers()) {
				if (started.waitFor(20, TimeUnit.MILLISECONDS) || System.nanoTime() - deadline > 0) {
					started.destroyForcibly();
					throw new IllegalStateException("Redis server does not answer on port " + this.port
							+ ": name a running server with 'spring.data.redis.host'");
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while the Redis server started", ex);
		}
		return started;
	}

	int port() {
		return this.port;
	}

	synchronized void restart() {
		stop();
		this.process = start();
	}

	synchronized void stop() {
		this.process.destroy();
		// Redis refuses to end if it cannot save its data.
		this.process.onExit().completeOnTimeout(this.process, 10, TimeUnit.SECONDS).join();
		this.process.destroyForcibly().onExit().join();
	}

	private boolean answers() {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.port), 1000);
			socket.setSoTimeout(1000);
			socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
			byte[] answer = socket.getInputStream().readNBytes("+PONG".length());
			return new String(answer, StandardCharsets.US_ASCII).equals("+PONG");
		}
		catch (IOException ex) {
			return false;
		}
	}

}
