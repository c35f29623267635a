package io.lockable.benchmark.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DelayProxyTests {

	private static final Duration EACH_WAY = Duration.ofMillis(20);

	// The delay of a busy machine, not of the proxy
	private static final Duration LATE = Duration.ofMillis(500);

	@Test
	void everyByteComesBackInOrderAfterTheRoundTrip() throws Exception {
		try (ServerSocket echo = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
				DelayProxy proxy = new DelayProxy(new InetSocketAddress(echo.getInetAddress(), echo.getLocalPort()),
						EACH_WAY);
				Socket client = new Socket(proxy.address().getHostString(), proxy.address().getPort());
				Socket server = echo.accept()) {
			Thread echoing = new Thread(() -> echo(server));
			echoing.start();
			long start = System.nanoTime();
			client.getOutputStream().write("first".getBytes(StandardCharsets.UTF_8));
			client.getOutputStream().write("second".getBytes(StandardCharsets.UTF_8));
			assertThat(new String(client.getInputStream().readNBytes(11), StandardCharsets.UTF_8))
				.isEqualTo("firstsecond");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(EACH_WAY.multipliedBy(2),
					EACH_WAY.multipliedBy(2).plus(LATE));
			client.shutdownOutput();
			echoing.join();
		}
	}

	private static void echo(Socket server) {
		try (InputStream in = server.getInputStream(); OutputStream out = server.getOutputStream()) {
			in.transferTo(out);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
