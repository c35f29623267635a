package io.lockable.benchmark.migration;

import java.util.ArrayList;
import java.util.List;

import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts the small applications of the examples, on one server.
 */
final class Applications {

	private static final String WITHOUT_LOCK4J = "--spring.autoconfigure.exclude="
			+ "com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration,"
			+ "com.baomidou.lock.spring.boot.autoconfigure.RedisTemplateLockAutoConfiguration";

	private Applications() {
	}

	static RedisTestServer server() {
		return RedisServers.shared();
	}

	static ConfigurableApplicationContext start(Class<?> application, String... arguments) {
		List<String> all = new ArrayList<>(List.of(arguments));
		all.add(WITHOUT_LOCK4J);
		return startWithLock4j(application, all.toArray(String[]::new));
	}

	static ConfigurableApplicationContext startWithLock4j(Class<?> application, String... arguments) {
		List<String> all = new ArrayList<>(List.of(arguments));
		all.add("--spring.data.redis.host=" + server().host());
		all.add("--spring.data.redis.port=" + server().port());
		all.add("--distributed-lock.command-timeout=20s");
		return new SpringApplicationBuilder(application).web(WebApplicationType.NONE).run(all.toArray(String[]::new));
	}

}
