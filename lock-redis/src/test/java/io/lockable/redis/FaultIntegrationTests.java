package io.lockable.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The outcome of calls when the server or the network fails.
 */
@Tag("extended")
@Tag("servers")
@ParameterizedClass
@EnumSource
class FaultIntegrationTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	private static final Duration PROMPTLY = Duration.ofMillis(100);

	private static final Duration SOON = Duration.ofSeconds(10);

	private static final Duration LONG_WAIT = Duration.ofSeconds(20);

	private static final LockOptions LONG_LEASE = LockOptions.defaults().withLease(Duration.ofSeconds(60));

	private final RedisTestServer server = RedisServers.start("appendonly yes", "appendfsync always");

	private final RedisClients client;

	private final Instance one;

	private final Instance two;

	private final Hiccups hiccups = Hiccups.start();

	private final Crew crew = new Crew();

	FaultIntegrationTests(RedisClients client) {
		this.client = client;
		this.one = instance(this.server.host(), this.server.port());
		this.two = instance(this.server.host(), this.server.port());
	}

	private Instance instance(String host, int port) {
		return Instance.start(this.client, host, port,
				(builder) -> builder.commandTimeout(COMMAND_TIMEOUT).shutdownTimeout(Duration.ofMillis(100)));
	}

	@AfterEach
	void close() {
		this.hiccups.close();
		this.crew.close();
		this.server.close();
		this.one.close();
		this.two.close();
	}

	@Test
	void flushedScriptsAreLoadedAgain() throws Exception {
		for (int round = 0; round < 2; round++) {
			Lease lease = afterFlush(this.one.get("a")::tryAcquire).orElseThrow();
			assertThat(afterFlush(() -> this.two.get("a").tryAcquire())).isEmpty();
			assertThat(afterFlush(() -> this.two.get("a").isLocked())).isTrue();
			assertThat(afterFlush(() -> lease.extend(Duration.ofSeconds(20)))).isTrue();
			Future<Lease> next = afterFlush(
					() -> this.crew.start(this.two.get("a", Instance.waiting(LONG_WAIT))::acquire));
			Instance.awaitWaiters(this.server, "a", 1);
			assertThat(afterFlush(lease::release)).isTrue();
			Lease granted = next.get(10, TimeUnit.SECONDS);
			assertThat(afterFlush(granted::release)).isTrue();
		}
		assertThat(this.server.call("GET", "a")).isEqualTo("(nil)");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void silenceLongerThanTheLeaseLosesItByTheLocalDeadline(boolean stopped) throws Exception {
		LockOptions options = LockOptions.defaults().withLease(Duration.ofMillis(1200));
		DistributedLock lock = this.one.get("a", options);
		Lease lease = this.one.get("b", options).tryAcquire().orElseThrow();
		lock.lock();
		CompletableFuture<LockLost> lost = lease.lost().toCompletableFuture();
		if (stopped) {
			this.server.pause();
		}
		else {
			this.server.call("CLIENT", "PAUSE", "3000", "ALL");
		}
		Duration left = lease.remaining();
		long at = System.nanoTime();
		assertThat(lost).as("lost by the deadline").succeedsWithin(left.plus(SOON));
		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.remaining()).isZero();
		assertThat(Duration.ofNanos(System.nanoTime() - at)).isLessThan(this.hiccups.allow(left.plus(PROMPTLY)));
		assertThat(lost.get().reason()).isEqualTo(LockLost.Reason.EXPIRED);
		assertThat(lease.release()).isFalse();
		await().atMost(SOON).until(() -> !lock.isHeldByCurrentThread());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		if (stopped) {
			this.server.resume();
		}
		acquireOnceBack(this.two, "a").close();
		acquireOnceBack(this.one, "b").close();
	}

	@Test
	void unreachableServerFailsAnAcquirerInTime() {
		this.one.get("warm-up").run(() -> {
		});
		this.server.kill();
		DistributedLock lock = this.one.get("a");
		assertStoreFailure(lock::tryAcquire);
		assertStoreFailure(lock::tryLock);
		assertStoreFailure(lock::lock);
		assertStoreFailure(() -> this.one.get("a", Instance.waiting(LONG_WAIT)).acquire());
		assertStoreFailure(() -> this.one.get("a", Instance.waiting(LONG_WAIT)).run(() -> {
			throw new AssertionError("The body must not run");
		}));
		assertThat(this.one.get("a", Instance.waiting(LONG_WAIT)).acquireAsync())
			.failsWithin(this.hiccups.allow(failureTime().plusSeconds(1)))
			.withThrowableThat()
			.withCauseInstanceOf(LockStoreException.class);
		assertStoreFailure(lock::isLocked);
		assertThat(lock.holdCount()).isZero();
		this.server.restart();
		acquireOnceBack(this.one, "a").close();
	}

	@Test
	void releaseOnAKilledServerFailsAndIsDoneInTheBackgroundOnceItIsBack() {
		Lease lease = this.one.get("a", LONG_LEASE).tryAcquire().orElseThrow();
		DistributedLock lock = this.one.get("b", LONG_LEASE);
		lock.lock();
		this.server.kill();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(lease::release).withMessageContaining("'a'");
		assertThat(lease.isHeld()).isFalse();
		lock.unlock();
		assertThat(lock.isHeldByCurrentThread()).isFalse();
		this.server.restart();
		assertFreedSoon("a");
		assertFreedSoon("b");
	}

	@Test
	void releaseOnAStoppedServerFailsWithinTheCommandTimeoutAndIsDoneOnceItGoesOn() {
		Lease lease = this.one.get("a", LONG_LEASE).tryAcquire().orElseThrow();
		this.server.pause();
		assertStoreFailure(lease::release);
		this.server.resume();
		assertFreedSoon("a");
	}

	@ParameterizedTest
	@EnumSource
	void lockWhoseReplyWasLostIsNotOrphaned(LostReply fault) throws Exception {
		try (FaultProxy proxy = FaultProxy.to(this.server); Instance remote = instance(proxy.host(), proxy.port())) {
			warmUp(remote);
			fault.happenTo(proxy);
			boolean acquired = false;
			try {
				assertThat(remote.get("a", LONG_LEASE).tryAcquire().orElseThrow().release()).isTrue();
				acquired = true;
			}
			catch (LockStoreException ex) {
				assertThat(ex).hasMessageContaining("'a'");
			}
			assertThat(proxy.lostReplies()).isPositive();
			assertThat(this.server.call("EXISTS", "{a}:fence")).as("the lock was granted on the server").isEqualTo("1");
			assertThat(acquired && fault == LostReply.SWALLOWED).isFalse();
			proxy.heal();
			assertFreedSoon("a");
			acquireOnceBack(remote, "a").close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void releaseWhoseReplyWasLostNeverFreesTheNextOwnersLock(LostReply fault) throws Exception {
		try (FaultProxy proxy = FaultProxy.to(this.server); Instance remote = instance(proxy.host(), proxy.port())) {
			warmUp(remote);
			Lease lease = remote.get("a", LONG_LEASE).tryAcquire().orElseThrow();
			Future<Lease> next = this.crew.start(this.two.get("a", Instance.waiting(LONG_WAIT))::acquire);
			Instance.awaitWaiters(this.server, "a", 1);
			fault.happenTo(proxy);
			try {
				lease.release();
			}
			catch (LockStoreException ex) {
				assertThat(ex).hasMessageContaining("'a'");
			}
			Lease granted = next.get(10, TimeUnit.SECONDS);
			proxy.heal();
			assertThat(remote.get("a", Instance.waiting(Duration.ofMillis(700))).tryAcquire(Duration.ofMillis(700)))
				.as("while the background release is repeated")
				.isEmpty();
			assertThat(this.server.call("GET", "a")).isEqualTo(granted.owner());
			assertThat(granted.release()).isTrue();
		}
	}

	@Test
	void releaseWhoseConnectionClosesBeforeTheReplyIsNoLoss() {
		try (FaultProxy proxy = FaultProxy.to(this.server); Instance remote = instance(proxy.host(), proxy.port())) {
			warmUp(remote);
			Lease lease = remote.get("a", LONG_LEASE).tryAcquire().orElseThrow();
			DistributedLock lock = remote.get("b", LONG_LEASE);
			lock.lock();
			proxy.closeBeforeReply(1);
			assertReleasedOrUnknown(lease);
			assertThat(proxy.lostReplies()).isOne();
			assertFreedSoon("a");
			acquireOnceBack(remote, "c").close();
			proxy.closeBeforeReply(1);
			lock.unlock();
			assertThat(proxy.lostReplies()).isEqualTo(2);
			assertFreedSoon("b");
		}
	}

	@Test
	void fullServerFailsAnAcquirerWhenItsWaitIsOver() {
		this.one.get("warm-up").run(() -> {
		});
		Lease held = this.one.get("b").tryAcquire().orElseThrow();
		this.server.call("CONFIG", "SET", "maxmemory", "1");
		assertRefusedUntilTheWaitIsOver("OOM");
		assertThat(held.release()).as("a release needs no memory").isTrue();
	}

	@Test
	void acquirerOfAFullServerHasTheLockOnceThereIsRoom() throws Exception {
		this.server.call("CONFIG", "SET", "maxmemory", "1");
		assertAcquiredAfter(() -> this.server.call("CONFIG", "SET", "maxmemory", "0"));
	}

	@Test
	void replicaFailsAnAcquirerWhenItsWaitIsOver() {
		this.server.call("REPLICAOF", "127.0.0.1", "1");
		assertRefusedUntilTheWaitIsOver("READONLY");
	}

	@Test
	void acquirerOfAReplicaHasTheLockOnceItIsPromoted() throws Exception {
		this.server.call("REPLICAOF", "127.0.0.1", "1");
		assertAcquiredAfter(() -> this.server.call("REPLICAOF", "NO", "ONE"));
	}

	/**
	 * Opens the connection and loads the scripts, so that only one reply can be lost.
	 */
	private static void warmUp(Instance instance) {
		try (Lease lease = instance.get("warm-up").tryAcquire().orElseThrow()) {
			assertThat(instance.engine().get("warm-up").isLocked()).isTrue();
			assertThat(lease.extend(Duration.ofSeconds(20))).isTrue();
		}
	}

	private void assertRefusedUntilTheWaitIsOver(String error) {
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.one.get("a")::tryAcquire)
			.withMessageContaining("'a'")
			.withMessageContaining(error);
		Duration wait = Duration.ofMillis(700);
		long start = System.nanoTime();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.one.get("a", Instance.waiting(wait)).acquire())
			.withMessageContaining("'a'")
			.withMessageContaining(error);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(wait,
				this.hiccups.allow(wait.plus(PROMPTLY)));
		assertThat(this.server.call("EXISTS", "a")).isEqualTo("0");
	}

	private void assertAcquiredAfter(Runnable cure) throws Exception {
		Future<Lease> waiting = this.crew.start(this.one.get("a", Instance.waiting(LONG_WAIT))::acquire);
		await().during(Duration.ofMillis(300)).atMost(SOON).until(() -> !waiting.isDone());
		long start = System.nanoTime();
		cure.run();
		Lease lease = waiting.get(20, TimeUnit.SECONDS);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(this.hiccups.allow(Duration.ofSeconds(2)));
		assertThat(lease.release()).isTrue();
	}

	private Duration failureTime() {
		// A blocking client may spend its timeout twice: on the command, and on closing
		// the unresponsive connection.
		Duration timeout = COMMAND_TIMEOUT.multipliedBy((this.client == RedisClients.JEDIS) ? 2 : 1);
		// Retries end after the timeout, and the last one may itself wait that long.
		return timeout.plus(COMMAND_TIMEOUT);
	}

	private void assertStoreFailure(ThrowingCallable call) {
		long start = System.nanoTime();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(call).withMessageContaining("'a'");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).as("time until the failure is known")
			.isLessThan(this.hiccups.allow(failureTime()));
	}

	/**
	 * Lettuce sends the release again, and the lease decides. Jedis does not retry it.
	 */
	private void assertReleasedOrUnknown(Lease lease) {
		assertReleasedOrUnknown(lease, lease.releaseAsync());
	}

	private void assertReleasedOrUnknown(Lease lease, CompletionStage<Boolean> release) {
		try {
			assertThat(release.toCompletableFuture().get(10, TimeUnit.SECONDS)).isTrue();
		}
		catch (Exception ex) {
			assertThat(this.client).isEqualTo(RedisClients.JEDIS);
			assertThat(ex).hasCauseInstanceOf(LockStoreException.class);
		}
		assertThat(lease.lost()).isNotCompleted();
	}

	private void assertFreedSoon(String key) {
		await().atMost(Duration.ofSeconds(5))
			.untilAsserted(() -> assertThat(this.server.call("EXISTS", key)).as(key).isEqualTo("0"));
	}

	private Lease acquireOnceBack(Instance instance, String key) {
		return await().atMost(Duration.ofSeconds(10))
			.ignoreExceptionsInstanceOf(LockStoreException.class)
			.until(() -> instance.get(key).tryAcquire(), Optional::isPresent)
			.orElseThrow();
	}

	private <T> T afterFlush(Supplier<T> call) {
		this.server.call("SCRIPT", "FLUSH");
		return call.get();
	}

	/**
	 * The way in which a reply is lost.
	 */
	private enum LostReply {

		/**
		 * The connection closes before the next reply.
		 */
		CUT {

			@Override
			void happenTo(FaultProxy proxy) {
				proxy.closeBeforeReply(1);
			}

		},

		/**
		 * All replies are dropped, and their connections stay open.
		 */
		SWALLOWED {

			@Override
			void happenTo(FaultProxy proxy) {
				proxy.halfOpen(FaultProxy.Direction.REPLIES);
			}

		};

		abstract void happenTo(FaultProxy proxy);

	}

}
