package io.lockable.autoconfigure.shedlock;

import java.time.Duration;
import java.util.Optional;

import io.lockable.LockOptions;
import io.lockable.autoconfigure.RedisInstance;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * ShedLock's locks on Redis, and their compatibility with {@link RedisLockProvider}
 * during a migration.
 */
@Tag("extended")
@Tag("any-jdk")
class ShedLockIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static RedisTestServer server;

	private static RedisInstance instance;

	private final DistributedLockProvider ours = new DistributedLockProvider(instance.engine(), "job-lock:prod:");

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		instance = RedisInstance.start(server, LockOptions.defaults());
	}

	@AfterAll
	static void stop() {
		instance.close();
		server.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void locksOfTheOldProviderAndOursExcludeEachOther(boolean safeUpdate) {
		LockProvider old = old(safeUpdate);
		String name = "report-" + safeUpdate;
		SimpleLock oldLock = lock(old, name, HOUR, Duration.ZERO).orElseThrow();
		assertThat(lock(this.ours, name, HOUR, Duration.ZERO)).isEmpty();
		oldLock.unlock();
		SimpleLock ourLock = lock(this.ours, name, HOUR, Duration.ZERO).orElseThrow();
		assertThat(lock(old, name, HOUR, Duration.ZERO)).isEmpty();
		ourLock.unlock();
		assertThat(lock(old, name, HOUR, Duration.ZERO)).hasValueSatisfying(SimpleLock::unlock);
		assertThat(server.call("EXISTS", "job-lock:prod:" + name)).isEqualTo("0");
	}

	@Test
	void lockAtLeastForIsKeptAmongTheOldProviderAndOurs() {
		lock(old(true), "kept", HOUR, Duration.ofSeconds(3)).orElseThrow().unlock();
		assertThat(lock(this.ours, "kept", HOUR, Duration.ZERO)).isEmpty();
		await().atMost(Duration.ofSeconds(20)).until(() -> lock(this.ours, "kept", HOUR, Duration.ZERO).map((lock) -> {
			lock.unlock();
			return true;
		}).orElse(false));
		lock(this.ours, "kept", HOUR, Duration.ofSeconds(3)).orElseThrow().unlock();
		assertThat(lock(old(true), "kept", HOUR, Duration.ZERO)).isEmpty();
		await().atMost(Duration.ofSeconds(20)).until(() -> lock(old(true), "kept", HOUR, Duration.ZERO).isPresent());
	}

	@Test
	void lockAtLeastForIsKeptByAnApplicationThatStops() {
		try (RedisInstance stopping = RedisInstance.start(server, LockOptions.defaults())) {
			DistributedLockProvider provider = new DistributedLockProvider(stopping.engine(), "job-lock:prod:");
			lock(provider, "stopped", HOUR, Duration.ofMinutes(1)).orElseThrow().unlock();
			lock(provider, "longer", Duration.ofMinutes(2), Duration.ofMinutes(1)).orElseThrow()
				.extend(Duration.ofMinutes(3), Duration.ofMinutes(2))
				.orElseThrow()
				.unlock();
		}
		assertThat(timeToLive("stopped")).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(65));
		assertThat(timeToLive("longer")).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(125));
	}

	private static LockProvider old(boolean safeUpdate) {
		return new RedisLockProvider.Builder(instance.connectionFactory()).environment("prod")
			.safeUpdate(safeUpdate)
			.build();
	}

	private static Optional<SimpleLock> lock(LockProvider provider, String name, Duration atMost, Duration atLeast) {
		return provider.lock(DistributedLockProviderTests.configuration(name, atMost, atLeast));
	}

	private static Duration timeToLive(String name) {
		return Duration.ofMillis(Long.parseLong(server.call("PTTL", "job-lock:prod:" + name)));
	}

}
