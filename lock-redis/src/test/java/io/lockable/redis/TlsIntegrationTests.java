package io.lockable.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Commands and grants over TLS, with a verified certificate.
 */
@Tag("extended")
@Tag("any-jdk")
class TlsIntegrationTests {

	private static final LockOptions PATIENT = Instance.waiting(Duration.ofSeconds(20))
		.withLease(Duration.ofSeconds(60));

	private final RedisTestServer server = RedisServers.shared();

	private final Crew crew = new Crew();

	private final String key = Instance.newKey();

	@TempDir
	Path directory;

	private TlsProxy proxy;

	@BeforeEach
	void start() {
		this.proxy = TlsProxy.before(this.server, this.directory);
	}

	@AfterEach
	void close() {
		this.crew.close();
		this.proxy.close();
	}

	@ParameterizedTest
	@EnumSource
	void locksWorkOverTls(RedisClients client) throws Exception {
		try (Instance one = instance(client); Instance two = instance(client)) {
			Lease lease = one.get(this.key, PATIENT).tryAcquire().orElseThrow();
			assertThat(this.server.call("GET", this.key)).isEqualTo(lease.owner());
			assertThat(two.get(this.key).tryAcquire()).isEmpty();
			assertThat(lease.extend(Duration.ofSeconds(90))).isTrue();
			Future<Lease> waiting = this.crew.start(two.get(this.key, PATIENT)::acquire);
			await().atMost(Duration.ofSeconds(10))
				.until(() -> this.server.call("LLEN", "{" + this.key + "}:queue").equals("1"));
			long before = System.nanoTime();
			assertThat(lease.release()).isTrue();
			Lease granted = waiting.get(10, TimeUnit.SECONDS);
			assertThat(Duration.ofNanos(System.nanoTime() - before)).as("a grant").isLessThan(Duration.ofSeconds(5));
			assertThat(granted.release()).isTrue();
			DistributedReadWriteLock readWrite = one.engine().getReadWriteLock(this.key, PATIENT);
			readWrite.readLock().run(() -> assertThat(two.get(this.key).tryLock()).isFalse());
			one.engine().getSemaphore(this.key, 2, PATIENT).tryAcquire().orElseThrow().close();
			one.engine().getAll(List.of(this.key, this.key + ":2"), PATIENT).run(() -> {
			});
			assertThat(two.get(this.key).isLocked()).isFalse();
		}
	}

	@ParameterizedTest
	@EnumSource
	void clientThatSpeaksNoTlsFails(RedisClients client) {
		try (Instance plain = Instance.on(client.connect(this.proxy.host(), this.proxy.port()),
				(builder) -> builder.commandTimeout(Duration.ofSeconds(1)).shutdownTimeout(Duration.ofMillis(100)))) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(plain.get(this.key)::tryAcquire)
				.withMessageContaining("'" + this.key + "'");
		}
	}

	private Instance instance(RedisClients client) {
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(this.proxy.host(), this.proxy.port());
		StringRedisTemplate template = (client == RedisClients.LETTUCE) ? lettuce(address) : jedis(address);
		// The first handshake takes seconds on a busy machine.
		template.hasKey("connected");
		return Instance.on(template, (builder) -> builder.shutdownTimeout(Duration.ofMillis(100)));
	}

	private StringRedisTemplate lettuce(RedisStandaloneConfiguration address) {
		SslOptions trusted = SslOptions.builder()
			.jdkSslProvider()
			.truststore(this.proxy.trustStore().toFile(), TlsProxy.PASSWORD)
			.build();
		return RedisClients.connect(new LettuceConnectionFactory(address,
				LettuceClientConfiguration.builder()
					.clientOptions(ClientOptions.builder().sslOptions(trusted).build())
					.useSsl()
					.build()));
	}

	private StringRedisTemplate jedis(RedisStandaloneConfiguration address) {
		return RedisClients.connect(new JedisConnectionFactory(address,
				JedisClientConfiguration.builder()
					.useSsl()
					.sslSocketFactory(this.proxy.trusting().getSocketFactory())
					.and()
					.usePooling()
					.build()));
	}

}
