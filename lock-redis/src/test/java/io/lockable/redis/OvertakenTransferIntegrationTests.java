package io.lockable.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.FaultProxy.Direction;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Releases behind a transfer whose answer is late. Only Lettuce sends commands in order,
 * so only there does a release overtake the answer.
 */
@Tag("extended")
class OvertakenTransferIntegrationTests {

	private static final LockOptions LONG_LEASE = LockOptions.defaults().withLease(Duration.ofSeconds(60));

	private static final LockOptions WAITING = LONG_LEASE.withWaitTime(Duration.ofSeconds(20));

	private final RedisTestServer server = RedisServers.start();

	private final FaultProxy proxy = FaultProxy.to(this.server);

	private final Instance remote = Instance.start(RedisClients.LETTUCE, this.proxy.host(), this.proxy.port(),
			(builder) -> builder.commandTimeout(Duration.ofSeconds(20)).shutdownTimeout(Duration.ZERO));

	@AfterEach
	void close() {
		this.server.call("ACL", "SETUSER", "default", "+@all");
		this.proxy.heal();
		this.remote.close();
		this.proxy.close();
		this.server.close();
	}

	/**
	 * Loads the scripts, so that each later command is sent once.
	 */
	private void warmUp() throws Exception {
		DistributedLock lock = this.remote.get("warm-up", WAITING);
		Lease first = lock.acquire();
		CompletableFuture<Lease> second = lock.acquireAsync();
		assertThat(first.release()).isTrue();
		assertThat(second.get(30, TimeUnit.SECONDS).release()).isTrue();
	}

	/**
	 * The server refuses the transfer, and lacks the successor's owner token. The
	 * connection closes between the execution of its release and the reply, so the client
	 * sends the release again.
	 */
	@Test
	void releaseThatIsSentAgainBehindARefusedTransferFreesTheLock() throws Exception {
		warmUp();
		Lease first = this.remote.get("a", LONG_LEASE).acquire();
		CompletableFuture<Lease> next = this.remote.get("a", WAITING).acquireAsync();
		this.server.call("ACL", "SETUSER", "default", "-set");
		this.proxy.stall(Direction.REPLIES);
		CompletableFuture<Boolean> firstReleased = first.releaseAsync().toCompletableFuture();
		Lease second = next.get(30, TimeUnit.SECONDS);
		this.proxy.closeBeforeReply((request) -> request.contains(second.owner()) && !request.contains(first.owner()));
		CompletableFuture<Boolean> secondReleased = second.releaseAsync().toCompletableFuture();
		await().until(() -> this.proxy.lostReplies() == 1);
		assertThat(this.server.call("GET", "a")).as("the transfer has failed").isEqualTo(first.owner());
		this.proxy.resume();
		assertThat(firstReleased.get(30, TimeUnit.SECONDS)).isTrue();
		assertThat(secondReleased.get(30, TimeUnit.SECONDS)).isTrue();
		await().atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(this.server.call("EXISTS", "a")).isEqualTo("0"));
	}

	@Test
	void lateReleaseOfASuccessorWithAShortLeaseIsNoLossOfItsPredecessor() throws Exception {
		warmUp();
		Lease first = this.remote.get("a", LONG_LEASE).acquire();
		CompletableFuture<Lease> next = this.remote.get("a", WAITING.withLease(Duration.ofSeconds(5))).acquireAsync();
		this.proxy.stall(Direction.REPLIES);
		CompletableFuture<Boolean> firstReleased = first.releaseAsync().toCompletableFuture();
		Lease second = next.get(30, TimeUnit.SECONDS);
		await().until(() -> this.server.call("GET", "a").equals(second.owner()));
		this.proxy.stall(Direction.REQUESTS);
		CompletableFuture<Boolean> secondReleased = second.releaseAsync().toCompletableFuture();
		await().until(() -> this.server.call("EXISTS", "a").equals("0"));
		this.proxy.resume();
		assertThat(secondReleased.get(30, TimeUnit.SECONDS)).as("expired before its release").isFalse();
		assertThat(firstReleased.get(30, TimeUnit.SECONDS)).as("transferred in time").isTrue();
		assertThat(first.lost()).isNotCompleted();
	}

}
