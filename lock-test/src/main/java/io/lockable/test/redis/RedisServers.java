package io.lockable.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * Starts real Redis servers for tests, and decides on their source. With Testcontainers
 * on the class path and a Docker engine that answers, servers are containers. Otherwise
 * they are processes of the binary in {@code org.signal:embedded-redis}. Without a
 * server, the test fails.
 *
 * <p>
 * The system property {@code lockable.test.redis} overrides this choice: {@code docker},
 * {@code embedded}, or the path of a {@code redis-server} executable.
 * {@code lockable.test.redis-image} sets the image of containers.
 *
 * <p>
 * Servers end with the JVM; on Linux, also if the JVM is killed.
 *
 * @since 0.1.0
 */
public final class RedisServers {

	private static final String CHOICE = "lockable.test.redis";

	private RedisServers() {
	}

	/**
	 * Starts a dedicated server, which the caller may kill, pause and configure.
	 * @param settings lines for the server's configuration file, such as
	 * {@code "maxmemory 2mb"}
	 * @return the server, ready for commands; the caller closes it
	 * @throws IllegalStateException if the server does not start
	 */
	public static RedisTestServer start(String... settings) {
		List<String> lines = settings(settings);
		String choice = System.getProperty(CHOICE, "");
		boolean inContainer = choice.isEmpty() ? DockerEngine.IS_USABLE : choice.equalsIgnoreCase("docker");
		return started(inContainer ? ContainerRedisServer.start(lines) : ProcessRedisServer.start(executable(), lines));
	}

	/**
	 * Starts a server from the given executable, as a process of this machine.
	 * @param executable a {@code redis-server}, or a script that becomes one
	 * @param settings lines for the server's configuration file
	 * @return the server, ready for commands; the caller closes it
	 * @throws IllegalStateException if the server does not start
	 */
	public static RedisTestServer start(Path executable, String... settings) {
		return started(ProcessRedisServer.start(executable, settings(settings)));
	}

	private static RedisTestServer started(RedisTestServer server) {
		StartedServers.add(server);
		return server;
	}

	/**
	 * Starts a cluster. Its servers are processes of this machine even with a Docker
	 * engine, because they announce their addresses to each other and to clients.
	 * @param masters the number of masters that share the slots, at least 3
	 * @param replicas the number of replicas of each master
	 * @return the cluster, serving all slots; the caller closes it
	 * @throws IllegalStateException if the cluster does not form
	 */
	public static RedisTestCluster startCluster(int masters, int replicas) {
		return RedisTestCluster.start(executable(), masters, replicas);
	}

	/**
	 * Starts a master with replicas, watched by three sentinels. The sentinels fail over
	 * from a master that does not answer for 1.5 seconds. The servers are processes of
	 * this machine, as in a {@linkplain #startCluster cluster}.
	 * @param replicas the number of replicas, at least 1
	 * @return the servers, known to each other; the caller closes them
	 * @throws IllegalStateException if they do not find each other
	 */
	public static RedisTestSentinel startSentinel(int replicas) {
		return RedisTestSentinel.start(executable(), replicas);
	}

	private static List<String> settings(String... more) {
		return Stream.concat(Stream.of("save \"\""), Stream.of(more)).toList();
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
	 * Use a separate key for each test, and leave the configuration of the server
	 * unchanged.
	 * @return the server; it throws an exception if a test closes, kills or pauses it
	 * @throws IllegalStateException if the server does not start
	 */
	public static RedisTestServer shared() {
		return Shared.SERVER;
	}

	/**
	 * Returns a free port below the ephemeral ports of the system, so that it is still
	 * free when a killed server restarts. The port 10,000 above it, the bus port of a
	 * cluster, is also free.
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

	private static final class Shared {

		static final RedisTestServer SERVER = startShared();

		private static RedisTestServer startShared() {
			RedisTestServer server = start();
			Runtime.getRuntime().addShutdownHook(new Thread(server::close, "redis-test-server-shutdown"));
			return (RedisTestServer) Proxy.newProxyInstance(RedisServers.class.getClassLoader(),
					new Class<?>[] { RedisTestServer.class }, (proxy, method, arguments) -> {
						if (List.of("kill", "pause", "resume", "restart", "close").contains(method.getName())) {
							throw new UnsupportedOperationException("Other tests use the shared Redis server:"
									+ " start a dedicated one with RedisServers.start()");
						}
						return method.invoke(server, arguments);
					});
		}

	}

}
