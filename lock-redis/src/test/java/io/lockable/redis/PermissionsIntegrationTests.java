package io.lockable.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lockable.LockStoreException;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The permission check, for a user who lacks one of the permissions.
 */
@Tag("extended")
@Tag("servers")
@ParameterizedClass
@EnumSource
class PermissionsIntegrationTests {

	private static final Pattern CALL = Pattern.compile("\\bp?call\\('(\\w+)'(?:, '(NUMSUB)')?");

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final String KEY = "disLock:probe";

	@AutoClose
	private static final RedisTestServer server = RedisServers.start();

	@Parameter
	private RedisClients client;

	private StringRedisTemplate template;

	private RedisLockStore store;

	@BeforeEach
	void connect() {
		allow(documented());
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(server.host(), server.port());
		address.setUsername("lockable");
		address.setPassword("secret");
		this.template = this.client.connect(address);
		this.store = new RedisLockStore(this.template);
	}

	@AfterEach
	void close() {
		this.store.close();
		RedisClients.disconnect(this.template);
		assertThat(server.call("DBSIZE")).as("keys that are left").isEqualTo("0");
	}

	@Test
	void documentedPermissionsPass() {
		assertThat(this.store.checkPermissions(KEY)).succeedsWithin(PATIENCE);
	}

	@ParameterizedTest
	@MethodSource("commands")
	void missingCommandIsNamedWithItsRule(String command) {
		deny(command);
		assertRefused().hasMessageContaining("NOPERM").hasMessageEndingWith("ACL SETUSER <user> +" + command);
		allow("+" + command);
		assertThat(this.store.checkPermissions(KEY)).succeedsWithin(PATIENCE);
	}

	static List<String> commands() {
		return Stream.concat(Permissions.COMMANDS.stream(), Stream.of("eval"))
			.filter((command) -> !command.equals("publish"))
			.toList();
	}

	@Test
	void allMissingCommandsAreNamedTogether() {
		deny("zadd");
		deny("set");
		deny("lpop");
		deny("del");
		assertRefused().hasMessageEndingWith("ACL SETUSER <user> +del +lpop +set +zadd");
	}

	@Test
	void missingEvalshaIsNamedByTheFirstLock() {
		deny("evalsha");
		assertThat(this.store.acquire(KEY, "owner", Duration.ofSeconds(1))).failsWithin(PATIENCE)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockStoreException.class)
			.withMessageEndingWith("Cure: ACL SETUSER <user> +evalsha");
	}

	@ParameterizedTest
	@ValueSource(strings = { "~disLock:*", "~{disLock:*}:*" })
	void missingKeysAreRefused(String keys) {
		allow("resetkeys " + keys);
		assertRefused().hasMessageContaining("NOPERM")
			.hasMessageEndingWith("ACL SETUSER <user> ~<prefix>* ~{<prefix>*}:*");
	}

	@ParameterizedTest
	@ValueSource(strings = { "resetchannels", "-publish" })
	void missingMessagesAreNoFailureBecauseWaitersPoll(String rule) {
		allow(rule);
		assertThat(this.store.checkPermissions(KEY)).succeedsWithin(PATIENCE);
	}

	@Test
	void checkRunsOnACluster() {
		try (RedisTestCluster cluster = RedisServers.startCluster(3, 0)) {
			StringRedisTemplate other = this.client.connect(RedisDeployment.configuration(cluster));
			try (RedisLockStore clustered = new RedisLockStore(other)) {
				assertThat(clustered.checkPermissions(KEY)).succeedsWithin(PATIENCE);
			}
			finally {
				RedisClients.disconnect(other);
			}
			assertThat(cluster.servers()).allSatisfy((each) -> assertThat(each.call("DBSIZE")).isEqualTo("0"));
		}
	}

	@Test
	void checkedCommandsAreThoseOfTheScripts() throws IOException {
		Set<String> used = new TreeSet<>();
		try (Stream<Path> scripts = Files.list(Path.of("src/main/resources/io/lockable/redis/script"))) {
			scripts.filter((script) -> !script.endsWith("permissions.lua"))
				.forEach((script) -> CALL.matcher(read(script))
					.results()
					.map((call) -> (call.group(2) != null) ? call.group(1) + '|' + call.group(2) : call.group(1))
					.forEach((command) -> used.add(command.toLowerCase(Locale.ROOT))));
		}
		// Refused by each single server.
		used.remove("cluster");
		assertThat(Permissions.COMMANDS).containsExactlyElementsOf(used);
	}

	private AbstractThrowableAssert<?, ? extends Throwable> assertRefused() {
		CompletionStage<?> check = this.store.checkPermissions(KEY);
		Throwable failure = catchThrowable(() -> check.toCompletableFuture().get(30, TimeUnit.SECONDS));
		return assertThat(failure).cause().isInstanceOf(LockStoreException.class);
	}

	/**
	 * Denies the command with all its subcommands, as Redis 6.2 cannot deny a single one.
	 */
	private static void deny(String command) {
		allow("-" + command.split("\\|", -1)[0]);
	}

	private static void allow(String rules) {
		String line = rules.startsWith("ACL ") ? rules : "ACL SETUSER lockable " + rules;
		assertThat(server.call(line.split(" ", -1))).isEqualTo("OK");
	}

	private static String documented() {
		return read(Path.of("../docs/redis.md")).lines()
			.filter((line) -> line.startsWith("ACL SETUSER"))
			.findFirst()
			.orElseThrow();
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
