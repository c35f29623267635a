package io.lockable.test.redis;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Checks whether a Docker engine answers on its local socket. Without an engine,
 * Testcontainers may need minutes for this check.
 */
final class DockerEngine {

	private static final String PING = "GET /_ping HTTP/1.0\r\n\r\n";

	private DockerEngine() {
	}

	static boolean answers() {
		return socket().map((socket) -> {
			try {
				return CompletableFuture.supplyAsync(() -> ping(socket), (task) -> new Thread(task).start())
					.orTimeout(2, TimeUnit.SECONDS)
					.join();
			}
			catch (CompletionException ex) {
				return false;
			}
		}).orElse(false);
	}

	private static Optional<Path> socket() {
		String host = System.getenv("DOCKER_HOST");
		if (host != null) {
			return host.startsWith("unix://") ? Optional.of(Path.of(host.substring("unix://".length())))
					: Optional.empty();
		}
		return Stream
			.of(Path.of("/var/run/docker.sock"), Path.of(System.getProperty("user.home"), ".docker/run/docker.sock"))
			.filter(Files::exists)
			.findFirst();
	}

	static boolean ping(Path socket) {
		try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
			channel.write(StandardCharsets.US_ASCII.encode(PING));
			byte[] status = Channels.newInputStream(channel).readNBytes("HTTP/1.0 200 OK".length());
			return new String(status, StandardCharsets.US_ASCII).contains(" 200 ");
		}
		catch (IOException ex) {
			return false;
		}
	}

}
