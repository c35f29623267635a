package io.lockable.autoconfigure.troubleshooting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedLock;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.ReleaseMode;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.engine.LockEngine;
import io.lockable.redis.Acknowledgements;
import io.lockable.redis.RedisLockStore;
import io.lockable.redis.RedlockLockStore;
import io.lockable.redis.Replicas;
import io.lockable.store.LockStore;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Provokes messages of {@code docs/troubleshooting.md} with a real Redis server.
 */
@Tag("extended")
@ExtendWith(OutputCaptureExtension.class)
class TroubleshootingIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);

	private static final LockOptions OPTIONS = LockOptions.defaults().withName("orders");

	private final TroubleshootingPage page = new TroubleshootingPage();

	private final RedisTestServer server = RedisServers.start();

	private final List<Runnable> cleanup = new ArrayList<>();

	@AfterEach
	void close() {
		for (int i = this.cleanup.size() - 1; i >= 0; i--) {
			this.cleanup.get(i).run();
		}
		this.server.close();
	}

	@Test
	void serverIsDown() {
		this.server.kill();
		assertThrown("Redis is down", get(COMMAND_TIMEOUT, new RedisLockStore(template("default", "")), "a"));
	}

	@Test
	void serverIsDownAtStartup() {
		this.server.kill();
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.port=" + this.server.port(),
					"distributed-lock.check.unreachable-store=fail")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.satisfies((failure) -> this.page.assertShown("The store does not work at startup",
						String.valueOf(failure.getMessage()))));
	}

	@Test
	void serverHangs() {
		LockEngine engine = engine(Duration.ofMillis(500), new RedisLockStore(template("default", "")));
		await().atMost(PATIENCE).ignoreExceptions().until(() -> engine.get("a", OPTIONS).tryLock());
		this.server.pause();
		this.cleanup.add(this.server::resume);
		assertThat(failure(engine.get("b", OPTIONS))).startsWith("The store did not answer")
			.satisfies((message) -> this.page.assertShown("Redis does not answer", message));
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(failure(engine.get("c", OPTIONS))).startsWith("The request for lock")
				.satisfies((message) -> this.page.assertShown("Redis does not answer", message)));
	}

	@Test
	void commandIsForbidden() {
		this.server.call("ACL", "SETUSER", "limited", "on", ">secret", "~*", "&*", "+@all", "-evalsha");
		assertThrown("A permission is missing", get("limited", "a"));
	}

	@Test
	void keyIsForbidden() {
		this.server.call("ACL", "SETUSER", "limited", "on", ">secret", "~other:*", "&*", "+@all");
		DistributedLock lock = get("limited", "a");
		assertThrown("A permission is missing", lock);
		assertThat(failure(lock)).endsWith("Cure: ACL SETUSER <user> ~<prefix>* ~{<prefix>*}:*");
	}

	@Test
	void channelIsForbidden(CapturedOutput output) {
		this.server.call("ACL", "SETUSER", "limited", "on", ">secret", "~*", "resetchannels", "+@all");
		this.server.call("SET", "a", "another owner");
		LockEngine engine = engine(COMMAND_TIMEOUT, new RedisLockStore(template("limited", "secret")));
		CompletableFuture<?> waiting = engine.get("a", OPTIONS.withWaitTime(PATIENCE)).acquireAsync();
		await().atMost(PATIENCE).untilAsserted(() -> this.page.assertShown("Waiters poll", output));
		waiting.cancel(true);
	}

	@Test
	void memoryIsFull() {
		DistributedLock lock = get("default", "a");
		this.server.call("CONFIG", "SET", "maxmemory", "1");
		assertThrownByRedis("Redis has no memory left", "OOM command not allowed", lock);
	}

	@Test
	void serverIsAReplica() {
		DistributedLock lock = get("default", "a");
		this.server.call("REPLICAOF", "127.0.0.1", "1");
		assertThrownByRedis("Redis is read-only", "READONLY You can't write", lock);
	}

	@Test
	void keyIsAHash() {
		this.server.call("HSET", "a", "owner", "1");
		assertThrownByRedis("Another client has written the key", "WRONGTYPE Operation", get("default", "a"));
	}

	@Test
	void replicasAreMissing() {
		Acknowledgements one = Acknowledgements.of(Replicas.ONE);
		assertThrown("Replicas do not acknowledge",
				get(COMMAND_TIMEOUT, new RedisLockStore(template("default", ""), one), "a"));
	}

	@Test
	void mastersAreDown() {
		List<RedisTestServer> servers = List.of(this.server, RedisServers.start(), RedisServers.start());
		List<String> addresses = servers.stream().map((each) -> each.host() + ":" + each.port()).toList();
		this.cleanup.add(servers.get(1)::close);
		this.cleanup.add(servers.get(2)::close);
		servers.get(1).kill();
		servers.get(2).kill();
		RedlockLockStore store = RedlockLockStore.connect(template("default", ""), addresses, Duration.ofSeconds(2));
		assertThrown("Redlock has no majority", get(COMMAND_TIMEOUT, store, "a"));
	}

	@Test
	void pipelinedReleaseReportsALossOnlyAfterwards(CapturedOutput output) {
		LockEngine engine = engine(COMMAND_TIMEOUT, new RedisLockStore(template("default", "")));
		DistributedLock lock = engine.get("a", OPTIONS.withRelease(ReleaseMode.PIPELINED));
		lock.lock();
		this.server.call("DEL", "a");
		assertThatNoException().isThrownBy(lock::unlock);
		await().atMost(PATIENCE).untilAsserted(() -> this.page.assertShown("The key is gone from Redis", output));
	}

	@Test
	void unknownScriptIsSentAgain() {
		DistributedLock lock = get("default", "a");
		lock.lock();
		lock.unlock();
		this.server.call("SCRIPT", "FLUSH");
		assertThatNoException().isThrownBy(lock::lock);
		assertThat(this.server.call("INFO", "errorstats")).contains("errorstat_NOSCRIPT");
		lock.unlock();
		assertThat(this.page.text()).contains("`errorstat_NOSCRIPT`");
	}

	private void assertThrown(String heading, DistributedLock lock) {
		this.page.assertShown(heading, failure(lock));
	}

	// A server before Redis 7 puts the error after the place in the script.
	private void assertThrownByRedis(String heading, String error, DistributedLock lock) {
		assertThat(this.page.entries().get(heading).messages()).singleElement().asString().contains(error);
		String failure = failure(lock);
		assertThat(failure).contains("Redis failed: ", error);
		if (!failure.contains("Error running script")) {
			this.page.assertShown(heading, failure);
		}
	}

	private static String failure(DistributedLock lock) {
		LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::acquire);
		assertThat(failure).isNotNull();
		return String.valueOf(failure.getMessage());
	}

	private DistributedLock get(String user, String key) {
		String password = user.equals("default") ? "" : "secret";
		return get(COMMAND_TIMEOUT, new RedisLockStore(template(user, password)), key);
	}

	private DistributedLock get(Duration commandTimeout, LockStore store, String key) {
		return engine(commandTimeout, store).get(key, OPTIONS);
	}

	private LockEngine engine(Duration commandTimeout, LockStore store) {
		LockEngine engine = LockEngine.builder(store).commandTimeout(commandTimeout).build();
		this.cleanup.add(engine::close);
		return engine;
	}

	private StringRedisTemplate template(String user, String password) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(this.server.host(),
				this.server.port());
		if (!password.isEmpty()) {
			configuration.setUsername(user);
			configuration.setPassword(password);
		}
		LettuceConnectionFactory connections = new LettuceConnectionFactory(configuration);
		connections.afterPropertiesSet();
		connections.start();
		this.cleanup.add(connections::destroy);
		return new StringRedisTemplate(connections);
	}

}
