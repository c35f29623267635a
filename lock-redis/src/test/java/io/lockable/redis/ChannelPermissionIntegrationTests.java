package io.lockable.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockable.Lease;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for waiters whose Redis user must not subscribe to the inboxes.
 */
@Tag("extended")
@Tag("servers")
@ParameterizedClass
@EnumSource
class ChannelPermissionIntegrationTests {

	private static final Duration OBSERVED = Duration.ofSeconds(4);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

	private static final String FORBID = "ACL SETUSER lockable resetchannels";

	private static final String ALLOW = "ACL SETUSER lockable &lockable:inbox:*";

	private final RedisTestServer server = RedisServers.start();

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.lockable.redis.ChannelPermission");

	private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

	private final Instance one;

	private final Instance two;

	ChannelPermissionIntegrationTests(RedisClients client) {
		call("ACL SETUSER lockable on >secret ~* resetchannels &lockable:inbox:* +@all");
		this.one = instance(client);
		this.two = instance(client);
	}

	private Instance instance(RedisClients client) {
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(this.server.host(), this.server.port());
		address.setUsername("lockable");
		address.setPassword("secret");
		return Instance.on(client.connect(address), (builder) -> builder.shutdownTimeout(Duration.ofMillis(100)));
	}

	@BeforeEach
	void record() {
		this.logged.start();
		this.logger.addAppender(this.logged);
	}

	@AfterEach
	void close() {
		this.logger.detachAppender(this.logged);
		this.one.close();
		this.two.close();
		this.server.close();
	}

	@Test
	void waiterThatMustNotSubscribePollsOverFewConnectionsUntilItMay() throws Exception {
		call(FORBID);
		Lease lease = this.one.get("a").tryAcquire().orElseThrow();
		CompletableFuture<Lease> waiting = this.two.get("a", Instance.waiting(Duration.ofSeconds(60))).acquireAsync();
		assertFewConnections();
		assertThat(this.logged.list).singleElement()
			.extracting(ILoggingEvent::getFormattedMessage)
			.asString()
			.contains("ACL SETUSER <user> &lockable:inbox:* +subscribe");
		call(ALLOW);
		awaitSubscription();
		await().atMost(LONGEST_PAUSE).until(() -> this.server.call("LLEN", "{a}:queue").equals("1"));
		lease.release();
		assertThat(waiting.get(10, TimeUnit.SECONDS).release()).isTrue();
		assertThat(this.logged.list).hasSize(1);
	}

	private void assertFewConnections() {
		int before = connections();
		await().pollDelay(OBSERVED).atMost(OBSERVED.plusSeconds(10)).until(() -> true);
		assertThat(connections() - before).as("connections within %s", OBSERVED).isLessThan(10);
	}

	private void awaitSubscription() {
		await().atMost(LONGEST_PAUSE.plusSeconds(5)).until(() -> subscriptions() == 1);
	}

	private int subscriptions() {
		return (int) this.server.call("PUBSUB", "CHANNELS", "lockable:inbox:*")
			.lines()
			.filter((l) -> !l.isBlank())
			.count();
	}

	private int connections() {
		return this.server.call("INFO", "stats")
			.lines()
			.filter((line) -> line.startsWith("total_connections_received:"))
			.mapToInt((line) -> Integer.parseInt(line.substring(line.indexOf(':') + 1).strip()))
			.sum();
	}

	private void call(String line) {
		assertThat(this.server.call(line.split(" "))).isEqualTo("OK");
	}

}
