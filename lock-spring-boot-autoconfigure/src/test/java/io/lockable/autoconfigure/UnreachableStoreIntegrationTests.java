package io.lockable.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockable.DistributedLocks;
import io.lockable.LockStoreException;
import io.lockable.autoconfigure.actuate.LockHealthAutoConfiguration;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * An application that starts before its Redis.
 */
@Tag("extended")
@ExtendWith(OutputCaptureExtension.class)
class UnreachableStoreIntegrationTests {

	private static final String FAIL = "--distributed-lock.check.unreachable-store=fail";

	private final List<RedisTestServer> servers = Stream.generate(RedisServers::start).limit(3).toList();

	private final RedisTestServer server = this.servers.get(0);

	@AfterEach
	void close() {
		this.servers.forEach(RedisTestServer::close);
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void applicationStartsWithoutRedisAndLocksAsSoonAsItIsThere(String client) {
		this.server.kill();
		try (ConfigurableApplicationContext context = start(client)) {
			assertLocksLater(context);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void applicationWithSeveralMastersStartsWithoutThem(String client) {
		this.servers.forEach(RedisTestServer::kill);
		String nodes = this.servers.stream()
			.map((each) -> each.host() + ':' + each.port())
			.collect(Collectors.joining(","));
		try (ConfigurableApplicationContext context = start(client, "--distributed-lock.redis.redlock.nodes=" + nodes,
				"--distributed-lock.redis.redlock.timeout=1s")) {
			assertLocksLater(context);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void startOpensNoConnection(String client) {
		String before = connectionsSoFar();
		try (ConfigurableApplicationContext context = start(client)) {
			assertThat(Integer.parseInt(connectionsSoFar())).isEqualTo(Integer.parseInt(before) + 1);
			context.getBean(DistributedLocks.class).get("a").run(() -> {
			});
			assertThat(Integer.parseInt(connectionsSoFar())).isGreaterThan(Integer.parseInt(before) + 2);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void applicationThatIsNotToStartWithoutRedisFailsWithAnAnalysis(String client, CapturedOutput output) {
		this.server.kill();
		long start = System.nanoTime();
		assertThatException().isThrownBy(() -> start(client, FAIL, "--spring.data.redis.password=secret").close());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
		assertThat(output)
			.contains("APPLICATION FAILED TO START", "The store of distributed locks does not work",
					"Redis at 127.0.0.1:" + this.server.port(), "Action:", "distributed-lock.check.unreachable-store")
			.doesNotContain("secret");
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void checkIsBoundedInTime(String client, CapturedOutput output) {
		this.server.pause();
		try {
			assertThatException().isThrownBy(() -> start(client, FAIL, "--distributed-lock.command-timeout=1s",
					"--spring.data.redis.connect-timeout=2500ms", "--spring.data.redis.timeout=10s"));
			assertThat(output).contains("limited to 3500ms");
		}
		finally {
			this.server.resume();
		}
	}

	@Test
	void warningIsAllThatIsAskedFor(CapturedOutput output) {
		this.server.kill();
		start("lettuce", "--distributed-lock.check.unreachable-store=warn").close();
		assertThat(output).contains("WARN",
				"The store of distributed locks does not work. The check of Redis at 127.0.0.1:");
	}

	private void assertLocksLater(ConfigurableApplicationContext context) {
		DistributedLocks locks = context.getBean(DistributedLocks.class);
		assertThat(health(context).health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(health(context).health().getDetails().get("store")).asString()
			.contains("127.0.0.1:" + this.server.port());
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.get("a").tryAcquire());
		this.servers.forEach(RedisTestServer::restart);
		await().ignoreExceptionsInstanceOf(LockStoreException.class)
			.untilAsserted(() -> locks.get("b").run(() -> assertThat(locks.get("b").isLocked()).isTrue()));
		await().untilAsserted(() -> assertThat(health(context).health().getStatus()).isEqualTo(Status.UP));
	}

	private static HealthIndicator health(ConfigurableApplicationContext context) {
		return context.getBean("distributedLocksHealthIndicator", HealthIndicator.class);
	}

	private String connectionsSoFar() {
		return this.server.call("INFO", "stats")
			.lines()
			.filter((line) -> line.startsWith("total_connections_received:"))
			.map((line) -> line.substring(line.indexOf(':') + 1).strip())
			.findFirst()
			.orElseThrow();
	}

	private ConfigurableApplicationContext start(String client, String... arguments) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.run(Stream.concat(
					Stream.of("--spring.data.redis.client-type=" + client, "--spring.data.redis.host=127.0.0.1",
							"--spring.data.redis.port=" + this.server.port(), "--spring.main.banner-mode=off"),
					Stream.of(arguments))
				.toArray(String[]::new));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class,
			LockHealthAutoConfiguration.class })
	static class Application {

	}

}
