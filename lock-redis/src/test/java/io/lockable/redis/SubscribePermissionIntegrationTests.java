package io.lockable.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.Lease;
import io.lockable.LockStoreException;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks of a user without the permission to subscribe, from the start or after its
 * removal.
 */
@Tag("extended")
@Tag("servers")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class SubscribePermissionIntegrationTests {

	private static final Duration OBSERVED = Duration.ofSeconds(3);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

	private final RedisTestServer server = RedisServers.start();

	private final Instance one;

	private final Instance two;

	SubscribePermissionIntegrationTests(RedisClients client) {
		allow("on >secret ~* resetchannels &lockable:inbox:* +@all");
		this.one = instance(client);
		this.two = instance(client);
	}

	private Instance instance(RedisClients client) {
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(this.server.host(), this.server.port());
		address.setUsername("lockable");
		address.setPassword("secret");
		return Instance.on(client.connect(address), (builder) -> builder.shutdownTimeout(Duration.ofMillis(100)));
	}

	@AfterEach
	void close() {
		this.one.close();
		this.two.close();
		this.server.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "subscribe", "unsubscribe" })
	void refusedSubscriptionSpoilsNoConnection(String command) throws Exception {
		allow("-" + command);
		Lease lease = this.one.get("a").tryAcquire().orElseThrow();
		CompletableFuture<Lease> waiting = this.two.get("a", Instance.waiting(Duration.ofSeconds(60))).acquireAsync();
		assertRightAnswers();
		lease.release();
		assertThat(waiting.get(30, TimeUnit.SECONDS).release()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "-subscribe", "resetchannels" })
	void subscriptionThatIsNoLongerPermittedReturnsWithThePermission(String withdrawn) throws Exception {
		Lease lease = this.one.get("a").tryAcquire().orElseThrow();
		CompletableFuture<Lease> waiting = this.two.get("a", Instance.waiting(Duration.ofSeconds(60))).acquireAsync();
		await().until(() -> subscriptions() == 1);
		allow(withdrawn);
		this.server.call("CLIENT", "KILL", "TYPE", "pubsub");
		assertRightAnswers();
		assertThat(subscriptions()).isZero();
		allow("&lockable:inbox:* +subscribe");
		// Lettuce subscribes again with its next connection, Jedis on its own schedule
		this.server.call("CLIENT", "KILL", "TYPE", "normal");
		await().atMost(LONGEST_PAUSE.plusSeconds(5)).until(() -> subscriptions() == 1);
		releaseThroughKilledConnection(lease);
		assertThat(waiting.get(30, TimeUnit.SECONDS).isHeld()).isTrue();
	}

	@Test
	void waiterProgressesAfterItsPermissionIsWithdrawn() throws Exception {
		Lease lease = this.one.get("a").tryAcquire().orElseThrow();
		CompletableFuture<Lease> waiting = this.two.get("a", Instance.waiting(Duration.ofSeconds(60))).acquireAsync();
		await().until(() -> subscriptions() == 1);
		allow("resetchannels");
		await().until(() -> subscriptions() == 0);
		lease.release();
		assertThat(waiting.get(30, TimeUnit.SECONDS).release()).isTrue();
	}

	/**
	 * Uses the pool of the instance whose subscription is refused.
	 */
	private void assertRightAnswers() {
		long end = System.nanoTime() + OBSERVED.toNanos();
		for (int i = 0; System.nanoTime() - end < 0; i++) {
			Lease lease = this.two.get("b" + i).tryAcquire().orElseThrow();
			assertThat(this.two.get("b" + i).isLocked()).isTrue();
			assertThat(lease.release()).isTrue();
			assertThat(this.two.get("b" + i).isLocked()).isFalse();
			assertThat(this.two.get("a").isLocked()).isTrue();
		}
	}

	/**
	 * A pool keeps connections that were killed, and each of them fails one call. The
	 * release is then retried in the background.
	 */
	private void releaseThroughKilledConnection(Lease lease) {
		try {
			lease.release();
		}
		catch (LockStoreException ex) {
			assertThat(lease.isHeld()).isFalse();
		}
	}

	private int subscriptions() {
		return (int) this.server.call("PUBSUB", "CHANNELS", "lockable:inbox:????????????????")
			.lines()
			.filter((line) -> !line.isBlank())
			.count();
	}

	private void allow(String rules) {
		assertThat(this.server.call(("ACL SETUSER lockable " + rules).split(" "))).isEqualTo("OK");
	}

}
