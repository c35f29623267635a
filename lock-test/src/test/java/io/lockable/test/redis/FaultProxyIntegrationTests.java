package io.lockable.test.redis;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;

import io.lockable.test.redis.FaultProxy.Direction;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FaultProxy}.
 */
class FaultProxyIntegrationTests {

	private static final int TIMEOUT_MILLIS = 5000;

	private static final int SILENCE_MILLIS = 300;

	private final RedisTestServer server = RedisServers.start();

	private final FaultProxy proxy = FaultProxy.to(this.server);

	private RespConnection client;

	@BeforeEach
	void connect() {
		this.client = new RespConnection(this.proxy.host(), this.proxy.port(), TIMEOUT_MILLIS);
	}

	@AfterEach
	void close() {
		this.client.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void proxyWithoutFaultPassesEverything() {
		String large = "ä\r\n$5\r\n".repeat(50_000);
		assertThat(this.client.call("SET", "key", large)).isEqualTo("OK");
		assertThat(this.client.call("GET", "key")).isEqualTo(large);
		assertThat(this.client.call("GET", "nothing")).isEqualTo("(nil)");
		assertThat(this.client.call("LRANGE", "nothing", "0", "-1")).isEmpty();
		assertThat(this.proxy.connections()).isOne();
		assertThat(this.proxy.acceptedConnections()).isOne();
		this.client.close();
		await().until(() -> this.proxy.connections() == 0 && clientsOfTheServer() == 0);
		assertThat(this.proxy.acceptedConnections()).isOne();
	}

	@Test
	void unparsedProxyPassesAnyProtocolAndLosesAReply() throws IOException {
		try (FaultProxy unparsed = FaultProxy.unparsed(this.server.host(), this.server.port());
				RespConnection other = new RespConnection(unparsed.host(), unparsed.port(), TIMEOUT_MILLIS)) {
			String large = "x".repeat(50_000);
			assertThat(other.call("SET", "key", large)).isEqualTo("OK");
			assertThat(other.call("GET", "key")).isEqualTo(large);
			unparsed.closeBeforeReply(1);
			other.send("SET", "key", "new");
			assertThatExceptionOfType(EOFException.class).isThrownBy(other::readReply);
			assertThat(this.server.call("GET", "key")).isEqualTo("new");
		}
	}

	@Test
	void delayAddsLatencyAndNotThroughput() throws IOException {
		this.client.call("PING");
		this.proxy.delay(Duration.ofMillis(100));
		long start = System.nanoTime();
		for (int i = 0; i < 200; i++) {
			this.client.send("INCR", "key");
		}
		for (int i = 1; i <= 200; i++) {
			assertThat(this.client.readReply()).isEqualTo(Integer.toString(i));
		}
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(200),
				Duration.ofSeconds(5));
		this.proxy.delay(Direction.REQUESTS, Duration.ZERO);
		start = System.nanoTime();
		this.client.call("PING");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
	}

	@Test
	void stalledRequestsReachTheServerInOrderWhenResumed() throws IOException {
		this.proxy.stall(Direction.REQUESTS);
		this.client.send("SET", "key", "a");
		this.client.send("APPEND", "key", "b");
		assertSilent();
		assertThat(this.server.call("GET", "key")).isEqualTo("(nil)");
		this.proxy.resume();
		assertThat(this.client.readReply()).isEqualTo("OK");
		assertThat(this.client.readReply()).isEqualTo("2");
		assertThat(this.server.call("GET", "key")).isEqualTo("ab");
	}

	@Test
	void stalledRepliesFollowRequestsThatAreExecuted() throws IOException {
		this.proxy.stall(Direction.REPLIES);
		this.client.send("SET", "key", "a");
		await().untilAsserted(() -> assertThat(this.server.call("GET", "key")).isEqualTo("a"));
		assertSilent();
		this.proxy.resume();
		assertThat(this.client.readReply()).isEqualTo("OK");
	}

	@Test
	void stallHoldsTheEndOfAConnectionBack() {
		this.client.call("PING");
		this.proxy.stall();
		this.client.close();
		await().until(() -> this.proxy.connections() == 0);
		assertThat(clientsOfTheServer()).isOne();
		this.proxy.resume();
		await().until(() -> clientsOfTheServer() == 0);
	}

	@Test
	void cutClosesByFinAndAcceptsNewConnections() {
		this.client.call("PING");
		this.proxy.cut();
		assertFailsWith(EOFException.class, () -> this.client.call("PING"));
		await().until(() -> clientsOfTheServer() == 0);
		assertThat(this.proxy.connections()).isZero();
		assertThat(callAnew("PING")).isEqualTo("PONG");
		assertThat(this.proxy.acceptedConnections()).isEqualTo(2);
	}

	@Test
	void cutLosesStalledFrames() throws IOException {
		this.client.call("PING");
		this.proxy.stall(Direction.REQUESTS);
		this.client.send("SET", "key", "a");
		assertSilent();
		this.proxy.cut();
		assertFailsWith(EOFException.class, this.client::readReply);
		this.proxy.resume();
		await().until(() -> clientsOfTheServer() == 0);
		assertThat(this.server.call("GET", "key")).isEqualTo("(nil)");
	}

	@Test
	void resetClosesByRst() {
		this.client.call("PING");
		this.proxy.reset();
		assertFailsWith(SocketException.class, () -> this.client.call("PING"));
		await().until(() -> clientsOfTheServer() == 0);
		assertThat(callAnew("PING")).isEqualTo("PONG");
	}

	@Test
	void halfOpenConnectionSwallowsBothDirectionsAndKeepsBothEnds() throws IOException {
		this.client.call("SUBSCRIBE", "news");
		this.proxy.halfOpen();
		assertThat(this.server.call("PUBLISH", "news", "a")).as("subscribers by the server's count").isEqualTo("1");
		assertSilent();
		this.client.close();
		assertThat(this.server.call("PUBLISH", "news", "b")).as("after the client has gone").isEqualTo("1");
		assertThat(callAnew("PING")).as("a new connection").isEqualTo("PONG");
		this.proxy.heal();
		await().until(() -> this.server.call("PUBLISH", "news", "c").equals("0"));
	}

	@Test
	void connectionWhoseRepliesAreSwallowedExecutesRequestsAndIsResetInTheEnd() throws IOException {
		this.client.call("PING");
		this.proxy.halfOpen(Direction.REPLIES);
		this.client.send("SET", "key", "a");
		await().until(() -> this.server.call("GET", "key").equals("a") && this.proxy.lostReplies() == 1);
		this.proxy.heal();
		assertFailsWith(SocketException.class, this.client::readReply);
	}

	@Test
	void closeBeforeNthReplyDeliversTheRepliesBeforeIt() throws IOException {
		this.client.call("PING");
		this.proxy.closeBeforeReply(3);
		for (int i = 0; i < 3; i++) {
			this.client.send("INCR", "key");
		}
		assertThat(this.client.readReply()).isEqualTo("1");
		assertThat(this.client.readReply()).isEqualTo("2");
		assertFailsWith(EOFException.class, this.client::readReply);
		assertThat(this.server.call("GET", "key")).as("executed").isEqualTo("3");
		assertThat(this.proxy.lostReplies()).isOne();
		assertThat(callAnew("INCR", "key")).as("once").isEqualTo("4");
	}

	@Test
	void closeBeforeReplyToAMatchingRequestMatchesPipelinedRequests() throws IOException {
		this.proxy.closeBeforeReply((request) -> request.equals("INCR two"));
		this.client.send("INCR", "one");
		this.client.send("INCR", "two");
		this.client.send("INCR", "three");
		assertThat(this.client.readReply()).isEqualTo("1");
		assertFailsWith(EOFException.class, this.client::readReply);
		assertThat(this.server.call("GET", "two")).isEqualTo("1");
	}

	@Test
	void heldMessagesComeInOrderWhileOtherConnectionsWork() throws IOException {
		this.client.call("SUBSCRIBE", "news");
		this.proxy.holdMessages();
		this.server.call("PUBLISH", "news", "a");
		this.server.call("PUBLISH", "news", "b");
		await().until(() -> this.proxy.heldMessages() == 2);
		assertSilent();
		assertThat(callAnew("LRANGE", "nothing", "0", "-1")).isEmpty();
		this.proxy.releaseMessages();
		assertThat(this.client.readReply()).isEqualTo("message\nnews\na");
		assertThat(this.client.readReply()).isEqualTo("message\nnews\nb");
		await().until(() -> this.proxy.heldMessages() == 0);
	}

	@Test
	void subscriptionIsConfirmedWhileMessagesAreHeld() {
		this.proxy.holdMessages();
		assertThat(this.client.call("SUBSCRIBE", "news")).startsWith("subscribe");
	}

	@Test
	void refusedConnectionsAreAcceptedOnTheSamePortLater() {
		this.client.call("PING");
		for (int round = 0; round < 3; round++) {
			this.proxy.refuse();
			this.proxy.refuse();
			assertFailsWith(ConnectException.class, () -> callAnew("PING"));
			assertThat(this.client.call("PING")).as("a present connection").isEqualTo("PONG");
			this.proxy.admit();
			assertThat(callAnew("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void connectionToAServerThatHasEndedIsReset() {
		this.server.kill();
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> callAnew("PING"));
	}

	@Test
	void closeFreesThePortAndMayBeRepeated() {
		this.client.call("PING");
		this.proxy.close();
		this.proxy.close();
		assertFailsWith(SocketException.class, () -> this.client.call("PING"));
		assertFailsWith(ConnectException.class, () -> callAnew("PING"));
	}

	private String callAnew(String... command) {
		try (RespConnection connection = new RespConnection(this.proxy.host(), this.proxy.port(), TIMEOUT_MILLIS)) {
			return connection.call(command);
		}
	}

	private void assertSilent() throws IOException {
		this.client.timeout(SILENCE_MILLIS);
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(this.client::readReply);
		this.client.timeout(TIMEOUT_MILLIS);
	}

	private static void assertFailsWith(Class<? extends IOException> failure, ThrowingCallable call) {
		assertThatExceptionOfType(Exception.class).isThrownBy(call)
			.satisfies((ex) -> assertThat((ex instanceof UncheckedIOException) ? ex.getCause() : ex)
				.isInstanceOf(failure));
	}

	/**
	 * Returns the number of connections to the server, without that of this command.
	 */
	private long clientsOfTheServer() {
		return this.server.call("CLIENT", "LIST").lines().count() - 1;
	}

}
