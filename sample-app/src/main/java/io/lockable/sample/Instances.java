package io.lockable.sample;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.springframework.core.env.Environment;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * The running instances of the shop, each of which says every second that it is there.
 * The page sends its orders to all of them.
 */
@Component
class Instances {

	private static final String KEY = "shop:instances";

	private static final Duration PRESUMED_DEAD = Duration.ofSeconds(3);

	private final StringRedisTemplate redis;

	private final Environment environment;

	Instances(StringRedisTemplate redis, Environment environment) {
		this.redis = redis;
		this.environment = environment;
	}

	@Scheduled(fixedRate = 1000)
	void sayHello() {
		double now = (double) System.currentTimeMillis();
		this.redis.opsForZSet().add(KEY, this.environment.getRequiredProperty("local.server.port"), now);
		this.redis.opsForZSet().removeRangeByScore(KEY, 0, now - PRESUMED_DEAD.toMillis());
	}

	List<String> ports() {
		Set<String> ports = Objects.requireNonNullElse(this.redis.opsForZSet().range(KEY, 0, -1), Set.of());
		return ports.stream().sorted().toList();
	}

}
