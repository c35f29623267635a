package io.lockable.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Starts a server on a free port, unless the properties name one: a PostgreSQL with
 * {@code distributed-lock.store=postgresql}, otherwise a Redis. The server ends with the
 * lab.
 */
final class SampleServer implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	private static final Logger logger = LoggerFactory.getLogger(SampleServer.class);

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		ConfigurableEnvironment environment = context.getEnvironment();
		boolean postgresql = environment.getProperty("distributed-lock.store", "").equals("postgresql");
		boolean named = (postgresql ? Stream.of("spring.datasource.url")
				: Stream.of("host", "port", "url", "sentinel.nodes", "cluster.nodes").map("spring.data.redis."::concat))
			.anyMatch(environment::containsProperty);
		boolean starts = !named && environment.getProperty("lab.start-server", Boolean.class, true);
		try {
			if (postgresql) {
				use(environment, Map.of("spring.autoconfigure.exclude", "", "shop.retain", "0s",
						"distributed-lock.postgresql.initialize-schema", true));
			}
			if (starts && postgresql) {
				startPostgres(environment);
			}
			else if (starts) {
				startRedis(context);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Failed to start a server: name one with '%s'"
				.formatted(postgresql ? "spring.datasource.url" : "spring.data.redis.host"), ex);
		}
	}

	private static void startRedis(ConfigurableApplicationContext context) throws IOException {
		RedisProcess server = new RedisProcess();
		SpringApplication.getShutdownHandlers().add(server::stop);
		logger.info("Started a Redis server on port {}. It ends with the lab", server.port());
		context.getBeanFactory().registerSingleton("redisProcess", server);
		use(context.getEnvironment(),
				Map.of("spring.data.redis.host", "127.0.0.1", "spring.data.redis.port", server.port()));
	}

	private static void startPostgres(ConfigurableEnvironment environment) throws IOException {
		EmbeddedPostgres server = EmbeddedPostgres.builder().setServerConfig("max_connections", "200").start();
		logger.info("Started a PostgreSQL server on port {}. It ends with the lab", server.getPort());
		use(environment, Map.of("spring.datasource.url", server.getJdbcUrl("postgres", "postgres")));
	}

	private static void use(ConfigurableEnvironment environment, Map<String, Object> properties) {
		environment.getPropertySources()
			.addFirst(new MapPropertySource("sampleServer" + environment.getPropertySources().size(), properties));
	}

}
