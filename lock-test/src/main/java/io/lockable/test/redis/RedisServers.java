package io.lockable.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Starts real Redis servers for tests. This is the one place that decides where they come
 * from: containers where a Docker engine answers and Testcontainers is on the class path,
 * else the binary that comes with {@code org.signal:embedded-redis}. There is no third
 * outcome: without a server the test fails.
 *
 * <p>
 * The system property {@code lockable.test.redis} takes the choice: {@code docker},
 * {@code embedded}, or the path of a {@code redis-server} executable of your own. The
 * container's image is that of {@code lockable.test.redis-image}.
 *
 * <p>
 * Servers end with the JVM. On Linux that includes a JVM that is killed hard.
 *
 * @since 0.1.0
 */
public final class RedisServers {

	private static final String CHOICE = "lockable.test.redis";

	private RedisServers() {
	}

	/**
	 * Starts a server of the caller's own, to be killed, paused or configured at will.
	 * @param settings lines for the server's configuration file, such as
	 * {@code "maxmemory 2mb"}
	 * @return the server, answering; to be closed by the caller
	 * @throws IllegalStateException if the server does not start
	 */
	public static RedisTestServer start(String... settings) {
		List<String> lines = settings(settings);
		boolean inContainer = switch (System.getProperty(CHOICE, "").toLowerCase(Locale.ROOT)) {
			case "" -> Docker.IS_THERE;
			case "docker" -> true;
			default -> false;
		};
		return inContainer ? ContainerRedisServer.start(lines) : ProcessRedisServer.start(executable(), lines);
	}

	/**
	 * Starts a server from an executable of the caller's own, as a process of this
	 * machine.
	 * @param executable a {@code redis-server}, or a script that becomes one
	 * @param settings lines for the server's configuration file
	 * @return the server, answering; to be closed by the caller
	 * @throws IllegalStateException if the server does not start
	 */
	public static RedisTestServer start(Path executable, String... settings) {
		return ProcessRedisServer.start(executable, settings(settings));
	}

	/**
	 * Starts a cluster. Its servers are processes of this machine also where a Docker
	 * engine answers: they tell each other and the clients their addresses.
	 * @param masters how many masters to spread the slots over, at least 3
	 * @param replicas how many replicas each of them has
	 * @return the cluster, serving all slots; to be closed by the caller
	 * @throws IllegalStateException if it does not come together
	 */
	public static RedisTestCluster startCluster(int masters, int replicas) {
		return RedisTestCluster.start(executable(), masters, replicas);
	}

	/**
	 * Starts a master with replicas, watched by three sentinels that put a replica in the
	 * place of a master which does not answer for half a second. Processes of this
	 * machine, as with a {@linkplain #startCluster cluster}.
	 * @param replicas how many replicas the master has, at least 1
	 * @return the servers, known to each other; to be closed by the caller
	 * @throws IllegalStateException if they do not find each other
	 */
	public static RedisTestSentinel startSentinel(int replicas) {
		return RedisTestSentinel.start(executable(), replicas);
	}

	private static List<String> settings(String... more) {
		List<String> lines = new ArrayList<>(List.of("save \"\""));
		lines.addAll(List.of(more));
		return lines;
	}

	private static Path executable() {
		String choice = System.getProperty(CHOICE, "");
		return switch (choice.toLowerCase(Locale.ROOT)) {
			case "", "docker", "embedded" -> ProcessRedisServer.embedded();
			default -> Path.of(choice);
		};
	}

	/**
	 * Returns the server that all tests of this JVM share, started with the first call.
	 * Use a key of your own for every test, and leave the server as it is.
	 * @return the server; closing, killing or pausing it is refused
	 * @throws IllegalStateException if the server does not start
	 */
	public static RedisTestServer shared() {
		return Shared.SERVER;
	}

	/**
	 * Returns a free port below those that the system gives to outgoing connections, so
	 * that it is still free when a killed server comes back. That 10,000 above, on which
	 * the servers of a cluster talk to each other, is free as well.
	 * @return the port
	 */
	static int freePort() {
		for (int i = 0; i < 100; i++) {
			int port = ThreadLocalRandom.current().nextInt(10_000, 22_000);
			if (isFree(port) && isFree(port + 10_000)) {
				return port;
			}
		}
		throw new UncheckedIOException(new IOException("No free port between 10000 and 22000"));
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static final class Docker {

		static final boolean IS_THERE = DockerEngine.answers() && isOnClassPath();

		private static boolean isOnClassPath() {
			try {
				Class.forName("org.testcontainers.containers.GenericContainer", false,
						RedisServers.class.getClassLoader());
				return true;
			}
			catch (ClassNotFoundException ex) {
				return false;
			}
		}

	}

	private static final class Shared {

		static final RedisTestServer SERVER = startShared();

		private static RedisTestServer startShared() {
			RedisTestServer server = start();
			Runtime.getRuntime().addShutdownHook(new Thread(server::close, "redis-test-server-shutdown"));
			return new SharedRedisServer(server);
		}

	}

}
