package io.lockable.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Lets the sample run without anything installed: unless {@code spring.data.redis} names
 * a server, the first instance starts one of its own, and the others join it. The server
 * ends with the instance that started it. With the port 0 the server comes from
 * elsewhere: from Testcontainers or Docker Compose, which need no property.
 */
final class SampleRedis implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	private static final Logger logger = LoggerFactory.getLogger(SampleRedis.class);

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		ConfigurableEnvironment environment = context.getEnvironment();
		boolean configured = Stream.of("host", "port", "url", "sentinel.nodes", "cluster.nodes")
			.anyMatch((name) -> environment.containsProperty("spring.data.redis." + name));
		if (configured) {
			return;
		}
		int port = environment.getRequiredProperty("shop.redis-port", Integer.class);
		if (port == 0) {
			return;
		}
		if (answers(port)) {
			logger.info("Joined the Redis server on port {}. It ends with the instance that started it,"
					+ " and the shop is closed until an instance is started again", port);
		}
		else {
			Process server = SampleRedisProcess.start(port, () -> answers(port));
			SpringApplication.getShutdownHandlers().add(server::destroy);
			logger.info("Started a Redis server on port {} for this and all further instances."
					+ " It ends with this instance", port);
		}
		environment.getPropertySources()
			.addFirst(new MapPropertySource("sampleRedis",
					Map.of("spring.data.redis.host", "127.0.0.1", "spring.data.redis.port", port)));
	}

	private static boolean answers(int port) {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
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
