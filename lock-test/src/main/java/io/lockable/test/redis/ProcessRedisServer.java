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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import redis.embedded.RedisExecProvider;

/**
 * A server as a process on this machine, which ends with this JVM, even if it is killed.
 *
 * <p>
 * A shutdown hook covers an orderly end. Against {@code kill -9}, Linux has the
 * parent-death signal, which {@code setpriv} requests for the child. It is sent when the
 * <i>thread</i> that started the child ends, so that thread never ends.
 */
final class ProcessRedisServer implements RedisTestServer {

	private static final int STARTS = 3;

	private static final Duration START_TIMEOUT = Duration.ofSeconds(10);

	private static final ExecutorService PARENT = Executors.newSingleThreadExecutor((task) -> {
		Thread thread = new Thread(task, "redis-test-servers");
		thread.setDaemon(true);
		return thread;
	});

	private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

	private static final List<String> DIE_WITH_PARENT = List.of("setpriv", "--pdeathsig", "KILL");

	private static final boolean CAN_DIE_WITH_PARENT = canDieWithParent();

	static {
		Runtime.getRuntime()
			.addShutdownHook(
					new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "redis-test-servers-shutdown"));
	}

	private final List<String> command = new ArrayList<>();

	private final Path directory;

	private final int port = RedisServers.freePort();

	private Process process;

	private ProcessRedisServer(Path executable, List<String> settings, List<String> arguments) throws IOException {
		this.directory = Files.createTempDirectory("redis-test-server");
		Path configuration = this.directory.resolve("redis.conf");
		List<String> lines = new ArrayList<>(
				List.of("bind " + host(), "port " + this.port, "dir \"" + this.directory + "\""));
		lines.addAll(settings);
		Files.write(configuration, lines);
		if (CAN_DIE_WITH_PARENT) {
			this.command.addAll(DIE_WITH_PARENT);
		}
		this.command.addAll(List.of(executable.toString(), configuration.toString()));
		this.command.addAll(arguments);
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
				if (server.awaitAnswer() || attempt == STARTS || !server.output().contains("already in use")) {
					return server.checked();
				}
				server.close();
			}
			catch (IOException | CompletionException ex) {
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
		this.process.destroyForcibly().onExit().join();
	}

	@Override
	public synchronized void pause() {
		ProcessFaults.signal(this.process.pid(), "STOP");
	}

	@Override
	public synchronized void resume() {
		ProcessFaults.signal(this.process.pid(), "CONT");
	}

	@Override
	public synchronized void restart() {
		kill();
		this.process = launch();
		awaitAnswer();
		checked();
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

	private Process launch() {
		ProcessBuilder builder = new ProcessBuilder(this.command).redirectErrorStream(true)
			.redirectOutput(this.directory.resolve("output").toFile());
		Process started = CompletableFuture.supplyAsync(() -> start(builder), PARENT).join();
		RUNNING.removeIf((earlier) -> !earlier.isAlive());
		RUNNING.add(started);
		return started;
	}

	private static Process start(ProcessBuilder builder) {
		try {
			return builder.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private String output() {
		try {
			return Files.readString(this.directory.resolve("output"));
		}
		catch (IOException ex) {
			return "(its output could not be read: " + ex + ")";
		}
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

	private ProcessRedisServer checked() {
		if (!answers()) {
			String output = output();
			close();
			throw new IllegalStateException(
					"Redis server " + this.command + " did not start on port " + this.port + ":\n" + output);
		}
		return this;
	}

	private static boolean canDieWithParent() {
		List<String> probe = new ArrayList<>(DIE_WITH_PARENT);
		probe.add("true");
		try {
			return new ProcessBuilder(probe).start().onExit().join().exitValue() == 0;
		}
		catch (IOException ex) {
			return false;
		}
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
