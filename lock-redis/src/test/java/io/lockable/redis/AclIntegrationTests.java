package io.lockable.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a Redis user with exactly the permissions that {@code docs/redis.md} lists.
 */
@Tag("extended")
@Tag("any-jdk")
@Tag("servers")
class AclIntegrationTests {

	private static final List<String> DOCUMENTED = documented();

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	@AutoClose
	private static final RedisTestServer server = RedisServers.start();

	@AutoClose
	private static final RedisTestCluster cluster = RedisServers.startCluster(3, 0);

	private final String key = "disLock:" + Instance.newKey();

	@BeforeEach
	void allowWhatIsDocumented() {
		allow(server, DOCUMENTED.get(0));
		for (RedisTestServer each : cluster.servers()) {
			DOCUMENTED.forEach((line) -> allow(each, line));
		}
	}

	@ParameterizedTest
	@EnumSource
	void documentedPermissionsAreEnough(RedisClients client) throws Exception {
		assertThat(use(client, address(), (name) -> server)).isNull();
	}

	@ParameterizedTest
	@EnumSource
	void documentedPermissionsAreEnoughOnACluster(RedisClients client) throws Exception {
		assertThat(use(client, addressOfCluster(), cluster::masterOf)).isNull();
	}

	@Test
	void everyDocumentedCommandIsNeeded() throws Exception {
		List<String> needless = new ArrayList<>();
		try (Instance one = instance(RedisClients.LETTUCE, address());
				Instance two = instance(RedisClients.LETTUCE, address())) {
			AclScenario scenario = new AclScenario(one, two, (name) -> server);
			scenario.run(this.key);
			for (String command : commands(DOCUMENTED.get(0))) {
				server.call("SCRIPT", "FLUSH");
				allow(server, without(command, DOCUMENTED.get(0)));
				// Existing subscriptions remain.
				boolean onConnecting = command.endsWith("subscribe");
				Throwable failure = onConnecting ? null : catchThrowable(() -> scenario.run(this.key + command));
				if (failure == null && !isMissed(command)) {
					needless.add(command);
				}
				allow(server, DOCUMENTED.get(0));
			}
		}
		assertThat(needless).as("commands that nobody misses").isEmpty();
	}

	/**
	 * Returns whether a client that connects or disconnects now fails without the
	 * command.
	 */
	private boolean isMissed(String command) {
		server.call("ACL", "LOG", "RESET");
		return use(RedisClients.LETTUCE, address(), (name) -> server) != null
				|| server.call("ACL", "LOG").lines().anyMatch(command::equals);
	}

	@Test
	void everyDocumentedCommandForAClusterIsNeeded() {
		for (String command : commands(DOCUMENTED.get(1))) {
			withdrawOnCluster(command);
			// A script asks only the servers of keys where an inbox is not subscribed.
			await(command).atMost(Duration.ofMinutes(1))
				.until(() -> Stream.of(RedisClients.values())
					.anyMatch((client) -> use(client, addressOfCluster(), cluster::masterOf) != null)
						|| cluster.servers()
							.stream()
							.anyMatch((each) -> each.call("ACL", "LOG").lines().anyMatch(command::equals)));
			allowWhatIsDocumented();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whoMayNotAskForTheServersOfAClusterIsToldSo(RedisClients client) {
		String asked = (client == RedisClients.LETTUCE) ? "cluster|nodes" : "cluster|slots";
		withdrawOnCluster(asked);
		assertThatThrownBy(() -> {
			// Jedis checks the subscription at startup.
			try (Instance instance = instance(client, addressOfCluster())) {
				instance.get(this.key).tryAcquire();
			}
		}).hasStackTraceContaining("NOPERM");
	}

	@Test
	void keysAndChannelsAreNeeded() throws Exception {
		allow(server, "ACL SETUSER lockable resetkeys ~disLock:*");
		assertThat(use(RedisClients.LETTUCE, address(), (name) -> server)).as("without companions").isNotNull();
		allow(server, "ACL SETUSER lockable resetkeys ~{disLock:*}:*");
		assertThat(use(RedisClients.LETTUCE, address(), (name) -> server)).as("without locks").isNotNull();
		allow(server, DOCUMENTED.get(0));
		allow(server, "ACL SETUSER lockable resetchannels");
		assertThat(use(RedisClients.LETTUCE, address(), (name) -> server)).as("without inboxes").isNotNull();
	}

	@Test
	void grantThatCannotBeRecordedIsNotPublished() {
		try (Instance instance = instance(RedisClients.LETTUCE, address());
				RedisLockStore store = new RedisLockStore(instance.template())) {
			RecordedGrants inbox = new RecordedGrants();
			Duration lease = Duration.ofSeconds(20);
			assertThat(store.subscribe(inbox)).succeedsWithin(PATIENCE);
			assertThat(store.acquire(this.key, "writer", lease)).succeedsWithin(PATIENCE).isInstanceOf(Granted.class);
			assertThat(store.enqueueShared(this.key, "reader", lease, 2)).succeedsWithin(PATIENCE)
				.isInstanceOf(Refused.class);
			server.call("ACL", "SETUSER", "lockable", "-zadd");
			assertThat(store.release(this.key, "writer")).failsWithin(PATIENCE)
				.withThrowableThat()
				.withMessageContaining("NOPERM");
			assertThat(server.call("GET", this.key)).isEqualTo("writer");
			allowWhatIsDocumented();
			assertThat(store.enqueueShared(this.key, "reader", lease, 2)).succeedsWithin(PATIENCE)
				.isInstanceOf(Refused.class);
			assertThat(store.release(this.key, "writer")).succeedsWithin(PATIENCE).isEqualTo(true);
			// Messages arrive in order, so an earlier one would be present by then.
			await().untilAsserted(() -> assertThat(inbox.all()).hasSize(1));
			assertThat(store.release(this.key, "reader")).succeedsWithin(PATIENCE).isEqualTo(true);
		}
	}

	/**
	 * Uses all kinds of locks with new connections.
	 * @return the failure, or {@code null}
	 */
	private Throwable use(RedisClients client, RedisConfiguration address, Function<String, RedisTestServer> serverOf) {
		return catchThrowable(() -> {
			try (Instance one = instance(client, address); Instance two = instance(client, address)) {
				new AclScenario(one, two, serverOf).run("disLock:" + Instance.newKey());
			}
		});
	}

	private static Instance instance(RedisClients client, RedisConfiguration address) {
		return Instance.on(client.connect(address), (builder) -> builder.shutdownTimeout(Duration.ofMillis(100)));
	}

	private static RedisConfiguration address() {
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(server.host(), server.port());
		address.setUsername("lockable");
		address.setPassword("secret");
		return address;
	}

	private static RedisConfiguration addressOfCluster() {
		RedisClusterConfiguration address = RedisDeployment.configuration(cluster);
		address.setUsername("lockable");
		address.setPassword("secret");
		return address;
	}

	private static void allow(RedisTestServer to, String line) {
		assertThat(to.call(line.split(" ", -1))).isEqualTo("OK");
	}

	/**
	 * Permits all documented commands but one. Redis 6.2 cannot withdraw a subcommand.
	 */
	private static void withdrawOnCluster(String command) {
		for (RedisTestServer each : cluster.servers()) {
			DOCUMENTED.forEach((line) -> allow(each, without(command, line)));
			each.call("ACL", "LOG", "RESET");
		}
	}

	private static String without(String command, String line) {
		return line.replaceFirst(" \\+" + Pattern.quote(command) + "(?= |$)", "");
	}

	private static List<String> commands(String line) {
		return Stream.of(line.split(" ", -1))
			.filter((word) -> word.startsWith("+"))
			.map((word) -> word.substring(1))
			.toList();
	}

	private static List<String> documented() {
		try (Stream<String> lines = Files.lines(Path.of("../docs/redis.md"))) {
			return lines.filter((line) -> line.startsWith("ACL SETUSER")).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
