package io.lockable.sample;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pages that read the events of a lab without instances.
 */
@Timeout(300)
class TimelineIntegrationTests {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	/**
	 * More events than fit into the buffers of a connection.
	 */
	private static final int LARGE_EVENTS = 20;

	/**
	 * More events than a page may lag behind.
	 */
	private static final int SMALL_EVENTS = 200;

	private static final String LARGE = "x".repeat(1_000_000);

	private final SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("page-");

	private final CountDownLatch open = new CountDownLatch(1);

	private final Semaphore received = new Semaphore(0);

	@Test
	void pageThatStopsReadingDelaysNoOtherPageAndIsDropped() throws Exception {
		try (ConfigurableApplicationContext lab = startLab(); Socket stalled = new Socket()) {
			int port = lab.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
			open(stalled, port);
			this.threads.execute(() -> read(port));
			Timeline timeline = lab.getBean(Timeline.class);
			assertThat(this.open.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
			for (int i = 0; i < LARGE_EVENTS; i++) {
				assertThat(isDelivered(timeline, LARGE)).isTrue();
			}
			for (int i = 0; i < SMALL_EVENTS; i++) {
				assertThat(isDelivered(timeline, "small")).isTrue();
			}
			CompletableFuture<Void> end = CompletableFuture.runAsync(() -> drain(stalled), this.threads);
			assertThat(end).succeedsWithin(Duration.ofMinutes(1));
		}
	}

	private static ConfigurableApplicationContext startLab() {
		RedisTestServer redis = RedisServers.shared();
		return new SpringApplicationBuilder(SampleApplication.class).run("--server.port=0", "--lab.instances=0",
				"--spring.data.redis.host=" + redis.host(), "--spring.data.redis.port=" + redis.port());
	}

	/**
	 * Sends an event, and returns whether the page that reads receives it.
	 */
	private boolean isDelivered(Timeline timeline, String data) throws InterruptedException {
		this.threads.execute(() -> timeline.send("test", data));
		return this.received.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS);
	}

	/**
	 * Opens a page, and reads the start of the first event.
	 */
	private static void open(Socket page, int port) throws IOException {
		page.setReceiveBufferSize(4096);
		page.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
		page.getOutputStream()
			.write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
		byte[] start = page.getInputStream().readNBytes("HTTP/1.1 200".length());
		assertThat(new String(start, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
	}

	private void read(int port) {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/events")).build();
		try (Stream<String> lines = HttpClient.newHttpClient().send(request, BodyHandlers.ofLines()).body()) {
			lines.forEach((line) -> {
				this.open.countDown();
				if (line.equals("event:test")) {
					this.received.release();
				}
			});
		}
		catch (IOException | InterruptedException | RuntimeException ex) {
			// The lab has ended, and the stream with it.
		}
	}

	private static void drain(Socket page) {
		try {
			page.getInputStream().transferTo(OutputStream.nullOutputStream());
		}
		catch (IOException ex) {
			// The server has reset the connection.
		}
	}

}
