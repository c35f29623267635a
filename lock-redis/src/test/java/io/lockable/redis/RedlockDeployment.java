package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.function.SingletonSupplier;

/**
 * Independent masters, over either client, shared by all tests of this JVM. Each
 * deployment starts on first use and ends with the JVM.
 */
enum RedlockDeployment {

	THREE_LETTUCE(3, RedisClients.LETTUCE),

	THREE_JEDIS(3, RedisClients.JEDIS),

	FIVE_LETTUCE(5, RedisClients.LETTUCE),

	FIVE_JEDIS(5, RedisClients.JEDIS);

	/**
	 * Longer than the default: a busy machine is not a failed master.
	 */
	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final Map<RedlockDeployment, List<StringRedisTemplate>> TEMPLATES = new ConcurrentHashMap<>();

	private final int masters;

	private final RedisClients client;

	RedlockDeployment(int masters, RedisClients client) {
		this.masters = masters;
		this.client = client;
	}

	RedlockLockStore store() {
		return new RedlockLockStore(templates(), TIMEOUT);
	}

	private List<StringRedisTemplate> templates() {
		return TEMPLATES.computeIfAbsent(this,
				(deployment) -> Servers.ALL.get().subList(0, this.masters).stream().map(this.client::connect).toList());
	}

	private static final class Servers {

		static final Supplier<List<RedisTestServer>> ALL = SingletonSupplier.of(Servers::start);

		private static List<RedisTestServer> start() {
			List<RedisTestServer> servers = IntStream.range(0, 5).mapToObj((index) -> RedisServers.start()).toList();
			Runtime.getRuntime()
				.addShutdownHook(new Thread(() -> servers.forEach(RedisTestServer::close), "redlock-servers-shutdown"));
			return servers;
		}

	}

}
