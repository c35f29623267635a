package io.lockable.matrix;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

import org.springframework.util.ClassUtils;

/**
 * An optional part of an application's class path.
 */
enum Part {

	REDIS("org.springframework.data.redis.core.StringRedisTemplate"),

	LETTUCE("io.lettuce.core.RedisClient"),

	JEDIS("redis.clients.jedis.Jedis"),

	POSTGRESQL("io.lockable.postgresql.PostgresLockStore"),

	ASPECTJ("org.aspectj.weaver.Advice"),

	REACTOR("reactor.core.publisher.Mono"),

	SERVLET("jakarta.servlet.Filter"),

	WEBFLUX("org.springframework.web.reactive.DispatcherHandler"),

	ACTUATOR("org.springframework.boot.actuate.endpoint.annotation.Endpoint"),

	MICROMETER("io.micrometer.core.instrument.MeterRegistry"),

	CONTEXT_PROPAGATION("io.micrometer.context.ContextSnapshot"),

	INTEGRATION("org.springframework.integration.support.locks.LockRegistry"),

	SHEDLOCK("net.javacrumbs.shedlock.core.LockProvider");

	private final String className;

	Part(String className) {
		this.className = className;
	}

	boolean isThere() {
		return ClassUtils.isPresent(this.className, Part.class.getClassLoader());
	}

	/**
	 * Returns the parts that the build configures. Tests rely on these instead of the
	 * actual class path, because a part that is missing by mistake would skip its tests.
	 * @return the parts
	 */
	static Set<Part> expected() {
		Set<Part> parts = EnumSet.allOf(Part.class);
		String without = System.getProperty("lockable.matrix.without", "");
		if (!without.equals("none")) {
			Arrays.stream(without.split(","))
				.map((name) -> Part.valueOf(name.trim().toUpperCase(Locale.ROOT)))
				.forEach(parts::remove);
		}
		return parts;
	}

}
