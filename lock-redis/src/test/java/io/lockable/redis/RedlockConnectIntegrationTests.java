package io.lockable.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * The connections to several masters, opened by the store or by the application.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class RedlockConnectIntegrationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final List<RedisTestServer> servers = List.of(RedisServers.start(), RedisServers.start(),
			RedisServers.start());

	// No server listens there: the store does not use the application's own server.
	private final RedisStandaloneConfiguration own = new RedisStandaloneConfiguration("127.0.0.1", 1);

	private final RedisClients client;

	RedlockConnectIntegrationTests(RedisClients client) {
		this.client = client;
	}

	@AfterEach
	void close() {
		this.servers.forEach(RedisTestServer::close);
	}

	@Test
	void mastersAreReachedWithTheCredentialsOfTheApplicationAndLeftWithTheStore() {
		this.servers.forEach((server) -> server.call("ACL", "SETUSER", "shop", "on", ">secret", "~*", "&*", "+@all"));
		this.own.setUsername("shop");
		this.own.setPassword("secret");
		this.own.setDatabase(3);
		StringRedisTemplate template = this.client.connect(this.own);
		RedlockLockStore store = RedlockLockStore.connect(template, addresses(), TIMEOUT);
		assertThat(connections()).isZero();
		try (LockEngine engine = LockEngine.builder(store).build()) {
			Lease lease = engine.get("a", LockOptions.defaults().withWaitTime(Duration.ofSeconds(5)))
				.tryAcquire()
				.orElseThrow();
			await().until(() -> connections() >= this.servers.size());
			assertThat(this.servers.get(0).call("INFO", "keyspace")).contains("db3:").doesNotContain("db0:");
			assertThat(this.servers.get(0).call("CLIENT", "LIST")).contains("user=shop");
			assertThat(lease.release()).isTrue();
		}
		await().until(() -> connections() == 0);
		RedisClients.disconnect(template);
	}

	@Test
	void oneAddressMayHaveCredentialsOfItsOwn() {
		this.servers.get(1).call("ACL", "SETUSER", "other", "on", ">word", "~*", "&*", "+@all");
		List<String> addresses = List.of(addresses().get(0),
				"redis://other:word@127.0.0.1:%d/5".formatted(this.servers.get(1).port()), addresses().get(2));
		StringRedisTemplate template = this.client.connect(this.own);
		try (LockEngine engine = LockEngine.builder(RedlockLockStore.connect(template, addresses, TIMEOUT)).build()) {
			engine.get("a")
				.run(() -> await().until(() -> this.servers.get(1).call("INFO", "keyspace").contains("db5:")));
			assertThat(this.servers.get(1).call("CLIENT", "LIST")).contains("user=other");
		}
		RedisClients.disconnect(template);
	}

	@Test
	void masterMustNotVoteTwice() {
		StringRedisTemplate template = this.client.connect(this.own);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedlockLockStore(List.of(template, template, template)))
			.withMessageContaining("must not vote twice");
		assertThatIllegalArgumentException().isThrownBy(() -> new RedlockLockStore(List.of(template, template)))
			.withMessageContaining("odd and at least 3, was 2");
		RedisClients.disconnect(template);
	}

	private List<String> addresses() {
		return this.servers.stream().map((server) -> server.host() + ':' + server.port()).toList();
	}

	/**
	 * Counts the connections of clients, except the one that asks.
	 */
	private long connections() {
		return this.servers.stream()
			.mapToLong((server) -> Arrays.stream(server.call("CLIENT", "LIST").split("\n"))
				.filter((line) -> line.contains("id=") && !line.contains("cmd=client|list"))
				.count())
			.sum();
	}

}
