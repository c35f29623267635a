package io.lockable.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.Inbox.Recall;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The holders that the scripts recall a lock from, for a user with the documented
 * permissions.
 */
@Tag("servers")
@ParameterizedClass
@EnumSource
class RecallIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(60);

	private static final int MEGABYTE = 1 << 20;

	@AutoClose
	private static final RedisTestServer server = RedisServers.start();

	private final String key = "disLock:" + UUID.randomUUID();

	private final Messages messages = new Messages();

	@Parameter
	private RedisClients client;

	private StringRedisTemplate template;

	private RedisLockStore here;

	private RedisLockStore there;

	@BeforeAll
	static void allowWhatIsDocumented() throws IOException {
		String documented = Files.readAllLines(Path.of("../docs/redis.md"))
			.stream()
			.filter((line) -> line.startsWith("ACL SETUSER"))
			.findFirst()
			.orElseThrow();
		assertThat(server.call(documented.split(" ", -1))).isEqualTo("OK");
	}

	@BeforeEach
	void connect() {
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(server.host(), server.port());
		address.setUsername("lockable");
		address.setPassword("secret");
		this.template = this.client.connect(address);
		this.here = new RedisLockStore(this.template);
		this.there = new RedisLockStore(this.template);
		assertThat(this.here.subscribe(this.messages)).succeedsWithin(Duration.ofSeconds(20));
	}

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
		RedisClients.disconnect(this.template);
		server.call("FLUSHALL");
	}

	@ParameterizedTest
	@MethodSource("texts")
	void anyTextBeforeTheAddressIsAHolder(String text) throws InterruptedException {
		String holder = text + '@' + this.here.address();
		hold(holder);
		assertThat(acquireOrRecall("asking " + text).recalled()).isTrue();
		assertThat(enqueue("asking " + text).recalled()).isTrue();
		Recall recall = new Recall(this.key, holder, "asking " + text, this.there.address());
		assertThat(this.messages.nextRecall()).isEqualTo(recall);
		assertThat(this.messages.nextRecall()).isEqualTo(recall);
		assertThat(waiters()).isEqualTo("1");
	}

	static List<String> texts() {
		return List.of("", "owner", "@", "@0123456789abcdef", " 1 2 3 ", "line\nline", "Öwner €", "kept", "kept:owner",
				"x".repeat(MEGABYTE));
	}

	@Test
	void secondCopyThatFindsAnotherHolderLeavesTheQueue() {
		hold("owner@" + this.here.address());
		assertThat(acquireOrRecall("asking").recalled()).isTrue();
		assertThat(waiters()).isEqualTo("1");
		hold("another");
		assertThat(acquireOrRecall("asking").recalled()).isFalse();
		assertThat(waiters()).isEqualTo("0");
	}

	@ParameterizedTest
	@MethodSource("foreignHolders")
	void otherHoldersAreNotAsked(String form) throws InterruptedException {
		hold(form.replace("HERE", this.here.address()));
		assertThat(acquireOrRecall("asking").recalled()).isFalse();
		assertThat(waiters()).isEqualTo("0");
		assertThat(enqueue("asking").recalled()).isFalse();
		assertThat(waiters()).isEqualTo("1");
		hold("the next@" + this.here.address());
		assertThat(enqueue("asking").recalled()).isTrue();
		assertThat(this.messages.nextRecall().holder()).startsWith("the next");
	}

	static List<String> foreignHolders() {
		return List.of("", "@", "@zz", "@zzzzzzzzzzzzzzzz", "HERE", "owner@HERE ", "owner@HERE\n", "owner@0HERE",
				"owner@@", "owner@0123456789abcdef", "owner@%x%x%x%x%x%x%x%x", "owner@HERE:kept", "lockable:shared",
				"@".repeat(MEGABYTE), "owner@HERE" + "x".repeat(MEGABYTE));
	}

	@ParameterizedTest
	@EnumSource
	void holderWithAnyExpiryIsAskedOnlyIfItCanBe(Expiry expiry) throws InterruptedException {
		for (boolean listens : new boolean[] { false, true }) {
			server.call("SET", this.key, "owner@" + (listens ? this.here.address() : "0123456789abcdef"));
			if (!expiry.millis.isEmpty()) {
				server.call("PEXPIRE", this.key, expiry.millis);
			}
			Refused refused = acquireOrRecall("asking");
			assertThat(refused.recalled()).isEqualTo(listens);
			assertThat(refused.remaining()).isBetween(expiry.longest.minusMinutes(1), expiry.longest);
			assertThat(get(this.there.acquire(this.key, "asking", LEASE))).isInstanceOfSatisfying(Refused.class,
					(again) -> assertThat(again.recalled()).isTrue());
			assertThat(waiters()).isEqualTo(listens ? "1" : "0");
		}
		assertThat(this.messages.nextRecall().holder()).isEqualTo("owner@" + this.here.address());
	}

	@Test
	void holderOfAnotherTypeIsAFailure() {
		server.call("SADD", this.key, "somebody");
		assertThat(this.there.acquireOrRecall(this.key, "asking", LEASE)).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withMessageContaining("WRONGTYPE");
		assertThat(waiters()).isEqualTo("0");
	}

	@Test
	void holderIsNotAskedForAnOwnerThatCannotBeQueued() throws InterruptedException {
		hold("owner@" + this.here.address());
		server.call("ACL", "SETUSER", "lockable", "-rpush");
		try {
			assertThat(this.there.enqueue(this.key, "asking", LEASE, false)).failsWithin(Duration.ofSeconds(20));
			assertThat(this.there.acquireOrRecall(this.key, "another", LEASE)).failsWithin(Duration.ofSeconds(20));
		}
		finally {
			server.call("ACL", "SETUSER", "lockable", "+rpush");
		}
		assertThat(enqueue("the last").recalled()).isTrue();
		assertThat(this.messages.nextRecall().asking()).isEqualTo("the last");
	}

	@Test
	void ownerThatIsQueuedAndAcquiresTheLockIsNotQueuedAnyMore() {
		hold("owner@" + this.here.address());
		assertThat(acquireOrRecall("asking").recalled()).isTrue();
		server.call("DEL", this.key);
		assertThat(get(this.there.acquireOrRecall(this.key, "asking", LEASE))).isInstanceOf(Granted.class);
		assertThat(waiters()).isEqualTo("0");
		assertThat(server.call("EXISTS", "{" + this.key + "}:waiters")).isEqualTo("0");
		assertThat(get(this.there.release(this.key, "asking"))).isTrue();
		assertThat(server.call("EXISTS", this.key)).isEqualTo("0");
	}

	@ParameterizedTest
	@MethodSource("texts")
	void anyOwnerGetsTheAnswerToItsRecall(String owner) throws InterruptedException {
		assertThat(this.there.answerBusy(new Recall(this.key, "", owner, this.here.address())))
			.succeedsWithin(Duration.ofSeconds(20));
		assertThat(this.messages.busy.poll(10, TimeUnit.SECONDS)).isEqualTo(this.key + owner);
	}

	private void hold(String holder) {
		server.call("SET", this.key, holder, "PX", Long.toString(LEASE.toMillis()));
	}

	private Refused acquireOrRecall(String owner) {
		return refused(this.there.acquireOrRecall(this.key, owner, LEASE));
	}

	private Refused enqueue(String owner) {
		return refused(this.there.enqueue(this.key, owner, LEASE, false));
	}

	private String waiters() {
		return server.call("LLEN", "{" + this.key + "}:queue");
	}

	private static Refused refused(CompletionStage<Acquisition> answer) {
		return (Refused) get(answer);
	}

	private static <T> T get(CompletionStage<T> answer) {
		return answer.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
	}

	/**
	 * An expiry in milliseconds, and the remaining lease that the store derives from it.
	 */
	enum Expiry {

		NONE("", Duration.ofDays(1)), LEASE_OF_OURS("60000", Duration.ofMinutes(1)),
		YEARS("9300000000000", Duration.ofDays(1)), ALMOST_RECALLED("1125899906842623", Duration.ofDays(1)),
		LIKE_RECALLED("1125899906900000", Duration.ofDays(1)), LONGEST("9200000000000000000", Duration.ofDays(1));

		private final String millis;

		private final Duration longest;

		Expiry(String millis, Duration longest) {
			this.millis = millis;
			this.longest = longest;
		}

	}

	private static final class Messages implements Inbox {

		private final BlockingQueue<Recall> recalls = new LinkedBlockingQueue<>();

		private final BlockingQueue<String> busy = new LinkedBlockingQueue<>();

		Recall nextRecall() throws InterruptedException {
			Recall recall = this.recalls.poll(10, TimeUnit.SECONDS);
			assertThat(recall).as("a recall within 10 s").isNotNull();
			return recall;
		}

		@Override
		public void granted(Grant grant) {
			throw new AssertionError("Not expected: " + grant);
		}

		@Override
		public void recalled(Recall recall) {
			this.recalls.add(recall);
		}

		@Override
		public void busy(String key, String owner) {
			this.busy.add(key + owner);
		}

		@Override
		public void resubscribed() {
		}

	}

}
