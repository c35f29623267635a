package io.lockable.test.redis;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import redis.embedded.RedisExecProvider;

/**
 * A server as a process on this machine.
 */
final class ProcessRedisServer implements RedisTestServer {

	private static final int STARTS = 3;

	private static final Duration START_TIMEOUT = Duration.ofSeconds(10);

	private final Path executable;

	private final List<String> arguments;

	private final Path directory;

	private final int port;

	private Process process;

	private ProcessRedisServer(Path executable, List<String> settings, List<String> arguments) throws IOException {
		this.executable = executable;
		this.arguments = arguments;
		this.directory = Files.createTempDirectory("redis-test-server");
		this.port = RedisServers.freePort();
		List<String> lines = new ArrayList<>(
				List.of("bind " + host(), "port " + this.port, "dir \"" + this.directory + "\""));
		lines.addAll(settings);
		Files.write(this.directory.resolve("redis.conf"), lines);
		this.process = launch();
	}

	static Path embedded() {
		return Embedded.EXECUTABLE.toPath();
	}

	/**
	 * Starts a server.
	 * @param executable the path of a {@code redis-server}
	 * @param settings lines for its configuration file
	 * @param arguments the arguments after the name of that file
	 * @return the server, ready for commands
	 */
	static ProcessRedisServer start(Path executable, List<String> settings, String... arguments) {
		for (int attempt = 1;; attempt++) {
			try {
				ProcessRedisServer server = new ProcessRedisServer(executable, settings, List.of(arguments));
				if (server.awaitAnswer() || attempt == STARTS || !server.portWasTaken()) {
					return server.checked();
				}
				server.close();
			}
			catch (IOException ex) {
				throw new IllegalStateException("Redis server " + executable + " could not be started", ex);
			}
		}
	}

	@Override
	public int port() {
		return this.port;
	}

	@Override
	public synchronized void kill() {
		ChildProcesses.kill(this.process);
	}

	@Override
	public synchronized void pause() {
		ChildProcesses.signal(this.process.pid(), "STOP");
	}

	@Override
	public synchronized void resume() {
		ChildProcesses.signal(this.process.pid(), "CONT");
	}

	@Override
	public synchronized void restart() {
		kill();
		try {
			this.process = launch();
			awaitAnswer();
			checked();
		}
		catch (IOException ex) {
			throw new IllegalStateException("Redis server on port " + this.port + " could not be restarted", ex);
		}
	}

	@Override
	public synchronized void close() {
		kill();
		try (Stream<Path> files = Files.walk(this.directory)) {
			files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
		}
		catch (IOException | UncheckedIOException ex) {
			// Closed before, or a stray file in the temporary directory, which is
			// harmless.
		}
	}

	private Process launch() throws IOException {
		List<String> command = new ArrayList<>(
				List.of(this.executable.toString(), this.directory.resolve("redis.conf").toString()));
		command.addAll(this.arguments);
		return ChildProcesses.start(command, output());
	}

	private Path output() {
		return this.directory.resolve("output");
	}

	private boolean awaitAnswer() {
		try {
			Awaitility.await()
				.atMost(START_TIMEOUT)
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(10))
				.until(() -> answers() || !this.process.isAlive());
			return this.process.isAlive();
		}
		catch (ConditionTimeoutException ex) {
			return false;
		}
	}

	/**
	 * Returns whether this process answers, and not another server that took the port
	 * first.
	 */
	private boolean answers() {
		try (RespConnection connection = new RespConnection(host(), this.port)) {
			return connection.call("INFO", "server").contains("process_id:" + this.process.pid() + "\r\n")
					&& connection.call("PING").equals("PONG");
		}
		catch (UncheckedIOException | IllegalStateException ex) {
			return false;
		}
	}

	private boolean portWasTaken() throws IOException {
		return Files.readString(output()).contains("already in use");
	}

	private ProcessRedisServer checked() throws IOException {
		if (!answers()) {
			String output = Files.readString(output());
			close();
			throw new IllegalStateException(
					"Redis server " + this.executable + " did not start on port " + this.port + ":\n" + output);
		}
		return this;
	}

	/**
	 * The executable of the embedded Redis, unpacked once.
	 */
	private static final class Embedded {

		static final File EXECUTABLE = unpack();

		private static File unpack() {
			try {
				return RedisExecProvider.defaultProvider().get();
			}
			catch (IOException | RuntimeException ex) {
				throw new IllegalStateException("No Docker engine answers, and the embedded Redis has nothing for "
						+ System.getProperty("os.name") + " on " + System.getProperty("os.arch")
						+ ": start Docker, or set the system property lockable.test.redis"
						+ " to the path of a redis-server", ex);
			}
		}

	}

}
