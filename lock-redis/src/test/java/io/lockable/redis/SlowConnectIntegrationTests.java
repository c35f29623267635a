package io.lockable.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockStoreException;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The first command of an instance whose connection takes longer than the command
 * timeout.
 */
@Tag("extended")
@ParameterizedClass
@EnumSource
class SlowConnectIntegrationTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(400);

	// Half of the read timeout of Jedis
	private static final Duration STALL = Duration.ofMillis(500);

	private final RedisTestServer server = RedisServers.shared();

	private final FaultProxy proxy = FaultProxy.to(this.server);

	private final Instance instance;

	SlowConnectIntegrationTests(RedisClients client) {
		// Loads the classes of the client, which takes seconds on a busy machine
		Instance.start(client, this.server).close();
		this.instance = Instance.unconnected(client, this.proxy.host(), this.proxy.port(),
				(builder) -> builder.commandTimeout(COMMAND_TIMEOUT).shutdownTimeout(Duration.ZERO));
	}

	@AfterEach
	void close() {
		this.proxy.heal();
		this.instance.close();
		this.proxy.close();
	}

	@Test
	void firstLockIsAcquiredOverAConnectionThatTakesLongerThanACommandMay() {
		this.proxy.stall();
		CompletableFuture<Lease> tried = this.instance.get(Instance.newKey()).acquireAsync();
		await().until(() -> this.proxy.acceptedConnections() > 0);
		await().pollDelay(STALL).until(() -> true);
		assertThat(tried).isNotDone();
		this.proxy.resume();
		assertThat(tried).succeedsWithin(Duration.ofSeconds(20));
	}

	@Test
	void firstLockFailsAtOnceWhereTheConnectionIsRefused() {
		this.proxy.refuse();
		assertThat(this.instance.get(Instance.newKey()).acquireAsync()).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withCauseInstanceOf(LockStoreException.class)
			.withMessageContaining("Connection refused");
	}

}
