package io.lockable.autoconfigure;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.LockType;
import io.lockable.autoconfigure.aop.DistributedLockAopAutoConfiguration;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application with locks on several masters.
 */
@Tag("extended")
@Tag("any-jdk")
class RedlockIntegrationTests {

	private final List<RedisTestServer> servers = List.of(RedisServers.start(), RedisServers.start(),
			RedisServers.start());

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				DistributedLockAutoConfiguration.class, DistributedLockAopAutoConfiguration.class))
		.withPropertyValues("distributed-lock.redis.redlock.nodes=" + this.servers.stream()
			.map((server) -> server.host() + ':' + server.port())
			.collect(Collectors.joining(", ")), "distributed-lock.redis.redlock.timeout=1s")
		.withBean(Library.class);

	@AfterEach
	void close() {
		this.servers.forEach(RedisTestServer::close);
	}

	@Test
	void annotatedMethodHoldsTheLockOnAllMasters() {
		this.contextRunner.run((context) -> {
			Object held = context.getBean(Library.class).exclude(() -> holders("disLock:book"));
			assertThat(held).isEqualTo(3L);
			// A majority has answered; the release on the last master completes in the
			// background
			await().until(() -> holders("disLock:book") == 0);
		});
	}

	@Test
	void connectionsEndWithTheApplication() {
		this.contextRunner.run((context) -> {
			context.getBean(Library.class).exclude(() -> "connected");
			await().until(() -> connections() >= this.servers.size());
		});
		await().until(() -> connections() == 0);
	}

	private long holders(String key) {
		return this.servers.stream().filter((server) -> !server.call("GET", key).equals("(nil)")).count();
	}

	/**
	 * Counts the connections of clients, except the one that asks.
	 */
	private long connections() {
		return this.servers.stream()
			.mapToLong((server) -> server.call("CLIENT", "LIST")
				.lines()
				.filter((line) -> line.contains("id=") && !line.contains("cmd=client|list"))
				.count())
			.sum();
	}

	static class Library {

		@DistributedLockable(key = "book")
		<T> T exclude(Callable<T> work) throws Exception {
			return work.call();
		}

		@DistributedLockable(key = "book", type = LockType.READ)
		void read(Runnable work) {
			work.run();
		}

		@DistributedLockable(key = "book", type = LockType.WRITE)
		void write(Runnable work) {
			work.run();
		}

	}

}
