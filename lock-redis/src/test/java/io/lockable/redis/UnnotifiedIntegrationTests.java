package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockable.Lease;
import io.lockable.LockOptions;
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
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks on a server that refuses {@code PUBLISH} in scripts, for all users or for one.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class UnnotifiedIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration PROMISE = Duration.ofMillis(250);

	private static final LockOptions PATIENT = Instance.waiting(PATIENCE).withLease(Duration.ofSeconds(60));

	private final String key = Instance.newKey();

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.lockable");

	private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

	private final Crew crew = new Crew();

	private final RedisClients client;

	UnnotifiedIntegrationTests(RedisClients client) {
		this.client = client;
	}

	@BeforeEach
	void record() {
		this.logged.start();
		this.logger.addAppender(this.logged);
	}

	@AfterEach
	void close() {
		this.logger.detachAppender(this.logged);
		this.crew.close();
	}

	@Test
	void handOffsBetweenInstancesAreLateButHappenAndEachStoreSaysSoOnce() throws Exception {
		try (Hiccups hiccups = Hiccups.start();
				RedisTestServer server = withoutPublish();
				Instance one = Instance.start(this.client, server);
				Instance two = Instance.start(this.client, server)) {
			List<Duration> handOffs = new ArrayList<>();
			Lease held = one.get(this.key, PATIENT).acquire();
			for (int i = 0; i < 200; i++) {
				Instance next = (i % 2 == 0) ? two : one;
				Future<Lease> waiting = this.crew.start(next.get(this.key, PATIENT)::acquire);
				Instance.awaitWaiters(server, this.key, 1);
				long before = System.nanoTime();
				assertThat(held.release()).isTrue();
				assertThat(server.call("GET", this.key)).as("granted by the release").isNotEqualTo("(nil)");
				held = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
				handOffs.add(Duration.ofNanos(System.nanoTime() - before));
			}
			assertThat(held.release()).isTrue();
			Duration median = handOffs.stream().sorted().skip(100).findFirst().orElseThrow();
			assertThat(median).isLessThan(hiccups.allow(PROMISE));
		}
		assertWarnings(2);
	}

	@Test
	void allKindsOfLocksWork() throws Exception {
		try (RedisTestServer server = withoutPublish();
				Instance one = Instance.start(this.client, server);
				Instance two = Instance.start(this.client, server)) {
			new AclScenario(one, two, (name) -> server).run(this.key);
			assertThat(server.call("KEYS", "*:queue")).isEmpty();
		}
		// An instance that never had to wait has no inbox, and logs nothing.
		assertThat(warnings()).hasSizeBetween(1, 2).doesNotHaveDuplicates();
		assertWarnings(warnings().size());
	}

	@Test
	void noLockIsRetainedSoAnotherInstanceAcquiresIt() throws Exception {
		LockOptions retaining = PATIENT.withRetain(Duration.ofMinutes(10));
		try (Hiccups hiccups = Hiccups.start();
				RedisTestServer server = withoutPublish();
				Instance one = Instance.start(this.client, server);
				Instance two = Instance.start(this.client, server)) {
			// The first use loads classes.
			for (Instance each : List.of(one, two)) {
				each.get(this.key, retaining).run(() -> {
				});
			}
			await().atMost(PATIENCE).until(() -> warnings().size() == 2);
			for (int i = 0; i < 20; i++) {
				Instance next = (i % 2 == 0) ? one : two;
				long before = System.nanoTime();
				Lease lease = next.get(this.key, retaining).acquire();
				assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(hiccups.allow(PROMISE));
				assertThat(lease.release()).isTrue();
				Instance other = (i % 2 == 0) ? two : one;
				assertThat(other.get(this.key, retaining).tryAcquire()).get().satisfies(Lease::close);
			}
			assertThat(one.engine().retained()).isEmpty();
		}
	}

	@Test
	void permissionThatReturnsCountsForTheNextSubscription() throws Exception {
		try (RedisTestServer server = RedisServers.start()) {
			allow(server, "on >secret ~* &lockable:inbox:* +@all -publish");
			RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(server.host(), server.port());
			address.setUsername("lockable");
			address.setPassword("secret");
			StringRedisTemplate template = this.client.connect(address);
			RecordedGrants inbox = new RecordedGrants();
			try (RedisLockStore store = new RedisLockStore(template)) {
				assertThat(store.acquire(this.key, "a", Duration.ofMinutes(1))).succeedsWithin(PATIENCE);
				assertThat(store.checkPermissions(this.key + ":probe")).succeedsWithin(PATIENCE);
				assertThat(store.subscribe(inbox)).succeedsWithin(PATIENCE);
				assertThat(store.isNotifying()).isFalse();
				allow(server, "+publish");
				server.call("CLIENT", "KILL", "TYPE", "pubsub");
				await().atMost(PATIENCE).until(store::isNotifying);
				allow(server, "-publish");
				server.call("CLIENT", "KILL", "TYPE", "pubsub");
				await().atMost(PATIENCE).until(() -> !store.isNotifying());
				assertThat(store.release(this.key, "a")).succeedsWithin(PATIENCE).isEqualTo(true);
			}
			finally {
				RedisClients.disconnect(template);
			}
			assertWarnings(1);
		}
	}

	private List<String> warnings() {
		return List.copyOf(this.logged.list)
			.stream()
			.filter((event) -> event.getLevel() == Level.WARN)
			.map(ILoggingEvent::getFormattedMessage)
			// Over Jedis, each killed subscription has a warning too.
			.filter((text) -> !text.startsWith("The subscription to grants of locks is lost"))
			.toList();
	}

	private void assertWarnings(int count) {
		assertThat(warnings()).hasSize(count)
			.allSatisfy((text) -> assertThat(text).contains("so waiters poll").contains("+publish &lockable:inbox:*"));
	}

	private static RedisTestServer withoutPublish() {
		return RedisServers.start("rename-command PUBLISH \"\"");
	}

	private static void allow(RedisTestServer server, String rules) {
		assertThat(server.call(("ACL SETUSER lockable " + rules).split(" "))).isEqualTo("OK");
	}

}
