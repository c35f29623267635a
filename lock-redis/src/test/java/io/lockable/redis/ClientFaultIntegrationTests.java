package io.lockable.redis;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.context.SmartLifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests that both clients work through a {@link FaultProxy} and experience its faults.
 */
@Tag("extended")
@ParameterizedClass
@EnumSource
class ClientFaultIntegrationTests {

	private final RedisTestServer server = RedisServers.start();

	private final FaultProxy proxy = FaultProxy.to(this.server);

	private final RedisClients client;

	private final Instance remote;

	private final Crew crew = new Crew();

	ClientFaultIntegrationTests(RedisClients client) {
		this.client = client;
		this.remote = Instance.start(client, this.proxy.host(), this.proxy.port(),
				(builder) -> builder.commandTimeout(Duration.ofSeconds(1)).shutdownTimeout(Duration.ofMillis(100)));
	}

	@AfterEach
	void close() {
		this.crew.close();
		this.remote.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void grantThatIsHeldBackComesWhenMessagesAreReleased() throws Exception {
		LockOptions patient = Instance.waiting(Duration.ofSeconds(30)).withLease(Duration.ofSeconds(60));
		try (Instance holder = Instance.start(this.client, this.server)) {
			Lease held = holder.get("a", patient).tryAcquire().orElseThrow();
			Future<Lease> waiting = this.crew.start(this.remote.get("a", patient)::acquire);
			await().atMost(Duration.ofSeconds(10)).until(() -> this.server.call("LLEN", "{a}:queue").equals("1"));
			this.proxy.holdMessages();
			assertThat(held.release()).isTrue();
			await().atMost(Duration.ofSeconds(10)).until(() -> this.proxy.heldMessages() == 1);
			assertThat(this.remote.get("b").tryAcquire()).as("on another connection").isPresent();
			assertThat(waiting.isDone()).isFalse();
			this.proxy.releaseMessages();
			assertThat(waiting.get(10, TimeUnit.SECONDS).release()).isTrue();
		}
	}

	@Test
	void requestWhoseReplyIsCutOffIsExecuted() {
		this.proxy.closeBeforeReply((request) -> request.equals("INCR counter"));
		Throwable failure = catchThrowable(() -> this.remote.template().opsForValue().increment("counter"));
		assertThat(this.proxy.lostReplies()).isOne();
		// Lettuce reconnects and sends the request again.
		assertThat(this.server.call("GET", "counter")).isEqualTo((failure != null) ? "1" : "2");
		assertThat(failure == null).isEqualTo(this.client == RedisClients.LETTUCE);
	}

	@Test
	void stalledRequestIsExecutedWhenResumed() throws Exception {
		this.proxy.stall();
		Future<Long> counting = this.crew.start(() -> this.remote.template().opsForValue().increment("counter"));
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> counting.get(300, TimeUnit.MILLISECONDS));
		this.proxy.resume();
		assertThat(counting.get(10, TimeUnit.SECONDS)).isOne();
	}

	@Test
	void delayIsAddedToEveryRoundTrip() {
		this.proxy.delay(Duration.ofMillis(50));
		long start = System.nanoTime();
		this.remote.template().hasKey("a");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
	}

	@Test
	void subscriptionIsRestoredAfterAStopAndStartOfTheClient() throws Exception {
		LockOptions patient = Instance.waiting(Duration.ofSeconds(30)).withLease(Duration.ofSeconds(60));
		try (Instance holder = Instance.start(this.client, this.server)) {
			Lease held = holder.get("a", patient).tryAcquire().orElseThrow();
			Future<Lease> waiting = this.crew.start(this.remote.get("a", patient)::acquire);
			Instance.awaitWaiters(this.server, "a", 1);
			assertThat(held.release()).isTrue();
			assertThat(waiting.get(10, TimeUnit.SECONDS).release()).isTrue();
			String subscribed = inboxes();
			assertThat(subscribed).isNotEmpty();
			SmartLifecycle client = (SmartLifecycle) this.remote.template().getRequiredConnectionFactory();
			client.stop();
			client.start();
			awaitLock();
			await().atMost(Duration.ofSeconds(30)).until(() -> inboxes().equals(subscribed));
		}
	}

	private String inboxes() {
		return this.server.call("PUBSUB", "CHANNELS", "lockable:inbox:*")
			.lines()
			.sorted()
			.collect(Collectors.joining(" "));
	}

	@Test
	void locksWorkAgainAfterEveryCutAndReset() {
		for (int round = 0; round < 3; round++) {
			this.proxy.cut();
			awaitLock();
			this.proxy.reset();
			awaitLock();
		}
		assertThat(this.proxy.acceptedConnections()).isGreaterThan(6);
	}

	@Test
	void locksWorkAgainAfterConnectionsWereRefused() {
		this.proxy.refuse();
		this.proxy.cut();
		assertThat(catchThrowable(() -> this.remote.get("a").tryAcquire())).isNotNull();
		this.proxy.heal();
		awaitLock();
	}

	private void awaitLock() {
		await().atMost(Duration.ofSeconds(20))
			.ignoreExceptions()
			.until(() -> this.remote.get("a").tryAcquire().orElseThrow().release());
	}

}
