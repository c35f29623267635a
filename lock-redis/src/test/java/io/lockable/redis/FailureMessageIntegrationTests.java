package io.lockable.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.lockable.LockStoreException;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests that the exception of a failed lock names the server and the reason.
 */
@Tag("extended")
@Tag("servers")
@ParameterizedClass
@EnumSource
class FailureMessageIntegrationTests {

	private final RedisTestServer server = RedisServers.start();

	private final RedisClients client;

	FailureMessageIntegrationTests(RedisClients client) {
		this.client = client;
	}

	@AfterEach
	void close() {
		this.server.close();
	}

	@Test
	void refusedConnectionIsNamedWithItsAddress() {
		this.server.kill();
		assertThat(failure("right")).hasMessageContaining("'a'")
			.hasMessageContaining("Redis at %s:%d", this.server.host(), this.server.port())
			.hasMessageContaining("Connection refused")
			.satisfies(FailureMessageIntegrationTests::saysItOnce);
	}

	/**
	 * Lettuce closes the refused connection. On a busy machine, one of 15 attempts
	 * reports only that, without the answer of the server.
	 */
	@Test
	void wrongPasswordIsNamedAndNotShown() {
		this.server.call("CONFIG", "SET", "requirepass", "right");
		Optional<LockStoreException> named = Stream.generate(() -> failure("wrong-secret"))
			.limit(20)
			.peek((failure) -> assertThat(failure).hasMessageContaining("'a'")
				.hasMessageContaining("Redis at %s:%d", this.server.host(), this.server.port())
				.satisfies((each) -> assertThat(stackTrace(each)).doesNotContain("wrong-secret"))
				.satisfies(FailureMessageIntegrationTests::saysItOnce))
			.filter((failure) -> String.valueOf(failure.getMessage()).contains("WRONGPASS"))
			.findFirst();
		assertThat(named).isPresent();
	}

	private LockStoreException failure(String password) {
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(this.server.host(), this.server.port());
		address.setPassword(password);
		try (Instance instance = Instance.on(this.client.connect(address),
				(builder) -> builder.commandTimeout(Duration.ofSeconds(10)).shutdownTimeout(Duration.ofMillis(100)))) {
			return catchThrowableOfType(LockStoreException.class, instance.get("a")::tryAcquire);
		}
	}

	private static void saysItOnce(Throwable failure) {
		assertThat(failure.getCause()).isNotInstanceOf(LockStoreException.class);
		assertThat(stackTrace(failure).split("for lock 'a'", -1)).hasSize(2);
	}

	private static String stackTrace(Throwable failure) {
		return ThrowableProxyUtil.asString(new ThrowableProxy(failure));
	}

}
