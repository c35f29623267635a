package io.lockable.matrix;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.lockable.DistributedLocks;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A running instance of an application, as Spring Boot starts it.
 *
 * @param context the application
 */
record Instance(ConfigurableApplicationContext context) implements AutoCloseable {

	private static final List<Instance> STARTED = new CopyOnWriteArrayList<>();

	/**
	 * Starts an instance with locks on the shared server.
	 * @param application its configuration
	 * @param properties more properties, as "name=value"
	 * @return the instance
	 */
	static Instance onRedis(Class<?> application, String... properties) {
		return start(application, onRedis(properties));
	}

	private static String[] onRedis(String... properties) {
		RedisTestServer server = RedisServers.shared();
		List<String> all = new ArrayList<>(
				List.of("spring.data.redis.host=" + server.host(), "spring.data.redis.port=" + server.port()));
		all.addAll(List.of(properties));
		return all.toArray(String[]::new);
	}

	/**
	 * Returns the first of two shared instances of a whole application without a web
	 * server.
	 * @return the instance
	 */
	static Instance one() {
		return Shared.ONE;
	}

	/**
	 * Returns the second of the shared instances.
	 * @return the instance
	 */
	static Instance other() {
		return Shared.OTHER;
	}

	static void closeShared() {
		STARTED.forEach(Instance::close);
		STARTED.clear();
	}

	/**
	 * Starts an instance without a web server.
	 * @param application its configuration
	 * @param properties more properties, as "name=value"
	 * @return the instance
	 */
	static Instance start(Class<?> application, String... properties) {
		return start(new SpringApplicationBuilder(application).web(WebApplicationType.NONE), properties);
	}

	/**
	 * Starts an instance with a web server and locks on the shared server.
	 * @param application its configuration
	 * @param properties more properties, as "name=value"
	 * @return the instance
	 */
	static Instance startWeb(Class<?> application, String... properties) {
		return start(new SpringApplicationBuilder(application), onRedis(properties));
	}

	/**
	 * Starts an instance with a web server and locks in a database.
	 * @param application its configuration
	 * @param url the URL of the database
	 * @return the instance
	 */
	static Instance startWebOnPostgresql(Class<?> application, String url) {
		return start(new SpringApplicationBuilder(application), "spring.autoconfigure.exclude=",
				"spring.datasource.url=" + url, "distributed-lock.store=postgresql",
				"distributed-lock.postgresql.initialize-schema=true",
				"management.endpoints.web.exposure.include=health,locks",
				"management.endpoint.health.show-details=always");
	}

	private static Instance start(SpringApplicationBuilder application, String... properties) {
		// Long timeouts, because the machine may be busy
		return new Instance(application
			.properties("server.port=0", "spring.main.banner-mode=off", "spring.data.redis.repositories.enabled=false",
					"spring.data.redis.timeout=20s", "distributed-lock.command-timeout=20s")
			.run(Stream.of(properties).map("--"::concat).toArray(String[]::new)));
	}

	DistributedLocks locks() {
		return bean(DistributedLocks.class);
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	String url(String path) {
		return "http://localhost:" + this.context.getEnvironment().getRequiredProperty("local.server.port") + path;
	}

	@Override
	public void close() {
		this.context.close();
	}

	private static final class Shared {

		static final Instance ONE = start();

		static final Instance OTHER = start();

		private static Instance start() {
			Instance instance = Instance.start(new SpringApplicationBuilder(application()).web(WebApplicationType.NONE),
					onRedis(new String[0]));
			STARTED.add(instance);
			return instance;
		}

		private static Class<?>[] application() {
			Set<Part> parts = Part.expected();
			return parts.contains(Part.REACTOR) ? new Class<?>[] { AnnotatedApplication.class, ReactiveBeans.class }
					: new Class<?>[] { AnnotatedApplication.class };
		}

	}

}
