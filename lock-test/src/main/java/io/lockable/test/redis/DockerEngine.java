package io.lockable.test.redis;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Checks whether a Docker engine answers on its local socket. Without an engine,
 * Testcontainers may need minutes for this check.
 */
final class DockerEngine {

	/**
	 * Whether an engine answers, and Testcontainers is on the class path.
	 */
	static final boolean IS_USABLE = answers() && DockerEngine.class.getClassLoader()
		.getResource("org/testcontainers/containers/GenericContainer.class") != null;

	private DockerEngine() {
	}

	private static boolean answers() {
		return sockets().filter(Files::exists)
			.findFirst()
			.map((socket) -> CompletableFuture.supplyAsync(() -> ping(socket), (task) -> new Thread(task).start())
				.completeOnTimeout(false, 2, TimeUnit.SECONDS)
				.join())
			.orElse(false);
	}

	private static Stream<Path> sockets() {
		String host = System.getenv("DOCKER_HOST");
		if (host != null) {
			return Stream.of(host).filter((url) -> url.startsWith("unix://")).map((url) -> Path.of(url.substring(7)));
		}
		return Stream.of(Path.of("/var/run/docker.sock"),
				Path.of(System.getProperty("user.home"), ".docker/run/docker.sock"));
	}

	private static boolean ping(Path socket) {
		try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
			channel.write(StandardCharsets.US_ASCII.encode("GET /_ping HTTP/1.0\r\n\r\n"));
			byte[] status = Channels.newInputStream(channel).readNBytes("HTTP/1.0 200 OK".length());
			return new String(status, StandardCharsets.US_ASCII).contains(" 200 ");
		}
		catch (IOException ex) {
			return false;
		}
	}

}
