package io.lockable.autoconfigure;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import io.lockable.annotation.DistributedLockable;
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
	void connectionsEndWithTheApplication() {
		this.contextRunner.run((context) -> {
			context.getBean(Library.class).exclude(() -> "connected");
			await().until(() -> connections() >= this.servers.size());
		});
		await().until(() -> connections() == 0);
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

	}

}
