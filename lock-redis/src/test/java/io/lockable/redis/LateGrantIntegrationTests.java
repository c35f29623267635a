package io.lockable.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A paused waiter that reads its grant too late: the lease has expired, another instance
 * has the lock, and the server has refused the waiter.
 */
@Tag("extended")
@Tag("servers")
class LateGrantIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final LockOptions WAITER = LockOptions.defaults()
		.withLease(Duration.ofSeconds(1))
		.withWaitTime(Duration.ofMinutes(1));

	/**
	 * The waiter polls after this lease has expired; its own lease has expired by then.
	 */
	private static final LockOptions FIRST = LockOptions.defaults()
		.withLease(Duration.ofSeconds(2))
		.withRenewal(Renewal.OFF);

	private static final LockOptions SECOND = LockOptions.defaults().withWaitTime(PATIENCE);

	@AutoClose
	private static final RedisTestServer server = RedisServers.start();

	static Stream<Arguments> acquisitions() {
		return Arrays.stream(RedisClients.values())
			.flatMap((client) -> Arrays.stream(Kind.values()).map((kind) -> Arguments.of(client, kind)));
	}

	@ParameterizedTest
	@MethodSource("acquisitions")
	void grantThatIsReadAfterARefusalIsNotBelieved(RedisClients client, Kind kind) throws Exception {
		String key = Instance.newKey();
		try (FaultProxy proxy = FaultProxy.to(server);
				Instance paused = Instance.start(client, proxy.host(), proxy.port(), (builder) -> builder);
				Instance other = Instance.start(client, server)) {
			Lease first = kind.other(other.engine(), key, FIRST);
			CompletableFuture<Lease> waiting = kind.waiter(paused.engine(), key);
			awaitWaiters(other, key, 1);
			proxy.holdMessages();
			assertThat(first.release()).isTrue();
			await().atMost(PATIENCE).until(() -> proxy.heldMessages() == 1);
			Lease second = kind.other(other.engine(), key, SECOND);
			awaitWaiters(other, key, 1);
			proxy.releaseMessages();
			await().atMost(PATIENCE).until(() -> proxy.heldMessages() == 0);
			await().during(Duration.ofMillis(200)).atMost(PATIENCE).until(() -> paused.engine().holdings().isEmpty());
			assertThat(waiting).as("another instance holds the lock").isNotDone();
			assertThat(second.release()).isTrue();
			try (Lease lease = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
				assertThat(lease.isHeld()).isTrue();
				assertThat(lease.fencingToken()).isGreaterThan(second.fencingToken());
			}
		}
	}

	private static void awaitWaiters(Instance instance, String key, int waiters) {
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(10))
			.until(() -> instance.engine().look(key).waiting() == waiters);
	}

	/**
	 * The kinds of acquisitions.
	 */
	enum Kind {

		EXCLUSIVE, FAIR, READ, WRITE, PERMIT;

		CompletableFuture<Lease> waiter(DistributedLocks locks, String key) {
			return switch (this) {
				case EXCLUSIVE -> locks.get(key, WAITER).acquireAsync();
				case FAIR -> locks.get(key, WAITER.withFair(true)).acquireAsync();
				case READ -> locks.getReadWriteLock(key, WAITER).readLock().acquireAsync();
				case WRITE -> locks.getReadWriteLock(key, WAITER).writeLock().acquireAsync();
				case PERMIT -> locks.getSemaphore(key, 1, WAITER).acquireAsync();
			};
		}

		/**
		 * Acquires a lock that excludes the waiter.
		 */
		Lease other(DistributedLocks locks, String key, LockOptions options) throws InterruptedException {
			return switch (this) {
				case EXCLUSIVE, FAIR -> locks.get(key, options).acquire();
				case READ -> locks.getReadWriteLock(key, options).writeLock().acquire();
				case WRITE -> locks.getReadWriteLock(key, options).readLock().acquire();
				case PERMIT -> locks.getSemaphore(key, 1, options).acquire();
			};
		}

	}

}
