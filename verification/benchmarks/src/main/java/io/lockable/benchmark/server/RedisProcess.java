package io.lockable.benchmark.server;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lockable.benchmark.peer.RedisAddress;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.embedded.RedisExecProvider;

/**
 * A Redis server that always ends with this JVM.
 */
final class RedisProcess implements AutoCloseable {

	private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

	private static final Duration START_TIMEOUT = Duration.ofSeconds(10);

	private final Process process;

	private final RedisAddress address;

	private RedisProcess(Process process, RedisAddress address) {
		this.process = process;
		this.address = address;
	}

	static RedisProcess start() {
		try {
			RedisAddress address = new RedisAddress("127.0.0.1", freePort());
			Process process = new ProcessBuilder(command(RedisExecProvider.defaultProvider().get(), address.port()))
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start();
			RedisProcess started = new RedisProcess(process, address);
			Runtime.getRuntime().addShutdownHook(new Thread(started::close, "stop-redis"));
			started.awaitReady();
			return started;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> command(File executable, int port) {
		List<String> command = new ArrayList<>();
		if (Files.isExecutable(SETPRIV)) {
			// A killed JVM runs no shutdown hook
			command.addAll(List.of(SETPRIV.toString(), "--pdeathsig", "KILL"));
		}
		command.addAll(List.of(executable.getAbsolutePath(), "--bind", "127.0.0.1", "--port", Integer.toString(port),
				"--save", "", "--appendonly", "no", "--maxclients", "10000"));
		return command;
	}

	private void awaitReady() {
		long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
		while (!answers()) {
			if (!this.process.isAlive() || System.nanoTime() > deadline) {
				close();
				throw new IllegalStateException("Redis on %s did not start".formatted(this.address));
			}
			Thread.onSpinWait();
		}
	}

	private boolean answers() {
		try (Jedis jedis = new Jedis(this.address.host(), this.address.port())) {
			return "PONG".equals(jedis.ping());
		}
		catch (JedisException ex) {
			return false;
		}
	}

	RedisAddress address() {
		return this.address;
	}

	@Override
	public void close() {
		this.process.destroy();
		try {
			if (!this.process.waitFor(5, TimeUnit.SECONDS)) {
				this.process.destroyForcibly();
			}
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

}
