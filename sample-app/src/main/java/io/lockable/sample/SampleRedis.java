package io.lockable.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
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
 * Starts a Redis server on a free port, unless {@code spring.data.redis} names a server.
 * The server ends with the lab.
 */
final class SampleRedis implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	private static final Logger logger = LoggerFactory.getLogger(SampleRedis.class);

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		ConfigurableEnvironment environment = context.getEnvironment();
		boolean configured = Stream.of("host", "port", "url", "sentinel.nodes", "cluster.nodes")
			.anyMatch((name) -> environment.containsProperty("spring.data.redis." + name));
		if (configured || !environment.getProperty("lab.start-redis", Boolean.class, true)) {
			return;
		}
		RedisProcess server = start();
		SpringApplication.getShutdownHandlers().add(server::stop);
		logger.info("Started a Redis server on port {}. It ends with the lab", server.port());
		context.getBeanFactory().registerSingleton("redisProcess", server);
		environment.getPropertySources()
			.addFirst(new MapPropertySource("sampleRedis",
					Map.of("spring.data.redis.host", "127.0.0.1", "spring.data.redis.port", server.port())));
	}

	private static RedisProcess start() {
		try {
			return new RedisProcess();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Failed to start a Redis server: name one with 'spring.data.redis.host'",
					ex);
		}
	}

}
