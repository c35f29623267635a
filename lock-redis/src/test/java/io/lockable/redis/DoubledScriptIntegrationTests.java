package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.lockable.LockStoreException;
import io.lockable.redis.script.LuaScript;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Recall;
import io.lockable.store.LockStore.LeaseRequest;
import io.lockable.store.QueueingLockStore.Yielded;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Runs each script twice: the server executes it, the connection closes before the reply,
 * and Lettuce sends it again over the next connection.
 */
@Tag("servers")
@Timeout(60)
class DoubledScriptIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final Duration LEASE = Duration.ofSeconds(60);

	private static final Duration LONGER = Duration.ofSeconds(90);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final RedisTestServer server = open(RedisServers.start());

	private final FaultProxy proxy = open(FaultProxy.to(this.server));

	private final StringRedisTemplate template = connect(this.proxy);

	private final RedisLockStore store = open(new RedisLockStore(this.template));

	private final RedisLockStore other = open(new RedisLockStore(connect(this.server.host(), this.server.port())));

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@Test
	void acquisitionGivesTheSameGrant() {
		runTwice("acquire");
		assertLastToken(get(this.store.acquire("k", "x", LEASE)), "k");
		assertThat(holder()).isEqualTo("x");
	}

	@Test
	void acquisitionOfSeveralLocksGivesTheSameGrants() {
		runTwice("acquire_all");
		Map<String, Acquisition> answers = get(this.store.acquireAll(List.of(request("k"), request("l"))));
		assertLastToken(answers.get("k"), "k");
		assertLastToken(answers.get("l"), "l");
		assertTwice();
	}

	@Test
	void waiterIsQueuedOnce() {
		get(this.other.acquire("k", "holder", LEASE));
		runTwice("enqueue");
		assertThat(get(this.store.enqueue("k", "x", LEASE, true))).isInstanceOf(Refused.class);
		assertThat(waiters()).isEqualTo("x");
		assertTwice();
	}

	@Test
	void ownerThatAsksTheHolderIsQueuedOnce() {
		RecordedGrants inbox = new RecordedGrants();
		assertThat(this.other.subscribe(inbox)).succeedsWithin(PATIENCE);
		get(this.other.acquire("k", "holder@" + this.other.address(), LEASE));
		runTwice("enqueue");
		assertThat(get(this.store.acquireOrRecall("k", "x", LEASE))).isInstanceOfSatisfying(Refused.class,
				(refused) -> assertThat(refused.recalled()).isTrue());
		assertThat(waiters()).isEqualTo("x");
		assertTwice();
		await().untilAsserted(() -> assertThat(inbox.recalls()).hasSize(2));
	}

	@Test
	void answerToARecallComesTwice() {
		RecordedGrants inbox = new RecordedGrants();
		assertThat(this.other.subscribe(inbox)).succeedsWithin(PATIENCE);
		runTwice("busy");
		get(this.store.answerBusy(new Recall("k", "holder", "x", this.other.address())));
		assertTwice();
		await().untilAsserted(() -> assertThat(inbox.busy()).containsExactly("k x", "k x"));
	}

	@Test
	void shareIsCountedOnce() {
		runTwice("share");
		assertLastToken(get(this.store.acquireShared("k", "x", LEASE, 2)), "k");
		assertThat(get(this.other.look("k")).holders()).hasSize(1);
		assertTwice();
	}

	@Test
	void transferGivesTheSameGrant() {
		get(this.other.acquire("k", "x", LEASE));
		runTwice("transfer");
		assertLastToken(get(this.store.transfer("k", "x", "next", LEASE)), "k");
		assertThat(holder()).isEqualTo("next");
		assertTwice();
	}

	@Test
	void transferThatRetainsTheLockGivesLaterTokens() {
		get(this.other.acquire("k", "x", LEASE));
		runTwice("transfer");
		assertLastToken(get(this.store.transfer("k", "x", "next@0123456789abcdef", LEASE)), "k");
		assertThat(holder()).isEqualTo("next@0123456789abcdef");
		assertTwice();
	}

	@Test
	void downgradeGivesTheSameShare() {
		get(this.other.acquire("k", "x", LEASE));
		runTwice("downgrade");
		assertLastToken(get(this.store.downgrade("k", "x", "next", LEASE)), "k");
		assertThat(get(this.other.look("k")).holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.owner()).isEqualTo("next"));
		assertTwice();
	}

	@Test
	void yieldedTurnIsGivenOnce() {
		RecordedGrants grants = new RecordedGrants();
		assertThat(this.other.subscribe(grants)).succeedsWithin(PATIENCE);
		get(this.store.acquire("k", "x", LEASE));
		get(this.other.enqueue("k", "waiter", LEASE, true));
		runTwice("yield");
		Yielded yielded = get(this.store.yieldTurn("k", "x", "next", LEASE));
		assertThat(yielded.released()).isTrue();
		assertThat(yielded.next()).isInstanceOf(Refused.class);
		assertThat(holder()).isEqualTo("waiter");
		assertThat(waiters()).isEqualTo("next");
		assertTwice();
		await().untilAsserted(() -> assertThat(grants.all()).hasSize(1));
	}

	@Test
	void releaseIsNoLossAndGrantsOnce() {
		RecordedGrants grants = new RecordedGrants();
		assertThat(this.other.subscribe(grants)).succeedsWithin(PATIENCE);
		get(this.store.acquire("k", "x", LEASE));
		get(this.other.enqueue("k", "first", LEASE, true));
		get(this.other.enqueue("k", "second", LEASE, true));
		runTwice("release");
		assertThat(get(this.store.release("k", "x"))).isTrue();
		assertThat(holder()).isEqualTo("first");
		assertThat(waiters()).isEqualTo("second");
		assertTwice();
		await().untilAsserted(() -> assertThat(grants.all()).hasSize(1));
	}

	@Test
	void withdrawalLeavesOpenWhetherTheOwnerHeldAndIsSentOnceMore() {
		get(this.other.acquire("k", "x", LEASE));
		runTwice("withdraw");
		assertThat(this.store.withdraw("k", "x")).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockStoreException.class)
			.withMessageContaining("no longer holds it");
		assertThat(holder()).isEqualTo("(nil)");
		assertTwice();
		assertThat(get(this.store.withdraw("k", "x"))).isFalse();
	}

	@Test
	void extensionSetsOneLease() {
		get(this.other.acquire("k", "x", LEASE));
		runTwice("extend");
		assertThat(get(this.store.extend("k", "x", LONGER))).isTrue();
		assertThat(remaining()).isBetween(LEASE.toMillis(), LONGER.toMillis());
		assertTwice();
	}

	@Test
	void keepSetsOneLease() {
		get(this.other.acquire("k", "x", LONGER));
		runTwice("keep");
		assertThat(get(this.store.keep("k", "x", LEASE))).isTrue();
		assertThat(remaining()).isBetween(1L, LEASE.toMillis());
		assertTwice();
	}

	@Test
	void questionsAreAnsweredAsOnce() {
		get(this.other.acquireShared("k", "x", LEASE, 2));
		runTwice("look");
		assertThat(get(this.store.isLocked("k"))).isTrue();
		assertTwice();
		runTwice("look");
		assertThat(get(this.store.isShared("k"))).isTrue();
		assertThat(this.proxy.lostReplies()).isEqualTo(2);
		runTwice("look");
		assertThat(get(this.store.look("k")).holders()).hasSize(1);
		assertThat(this.proxy.lostReplies()).isEqualTo(3);
	}

	/**
	 * An acquisition that a network delays beyond the withdrawal has no owner. Its answer
	 * finds no connection.
	 */
	@Test
	void copyThatComesAfterTheWithdrawalEndsWithItsLease() {
		Duration lease = Duration.ofSeconds(2);
		get(this.store.acquire("k", "x", lease));
		get(this.store.withdraw("k", "x"));
		get(this.store.acquire("k", "x", lease));
		assertThat(holder()).isEqualTo("x");
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(holder()).isEqualTo("(nil)"));
	}

	/**
	 * Neither copy of the release finds the inspected holder.
	 */
	@Test
	void forcedReleaseOfALockThatHasMovedOnLeavesTheNextHolderAlone() {
		get(this.other.acquire("k", "x", LEASE));
		Instance operator = open(
				Instance.start(RedisClients.LETTUCE, this.proxy.host(), this.proxy.port(), (builder) -> builder));
		load("release");
		load("look");
		String look = digest("look");
		String release = digest("release");
		this.proxy.closeBeforeReply((request) -> {
			if (request.contains(look)) {
				this.server.call("SET", "k", "another");
			}
			return request.contains(release);
		});
		operator.engine().forceRelease("k");
		assertTwice();
		assertThat(holder()).isEqualTo("another");
	}

	// Several masters

	@Test
	void acquisitionAndReleaseOnEveryMasterAreAsOnce() {
		Masters masters = new Masters();
		RedlockLockStore redlock = masters.store();
		masters.runTwice("redlock_acquire");
		assertThat(get(redlock.acquire("k", "x", LEASE))).isInstanceOf(Granted.class);
		masters.assertLostReplies(1);
		masters.runTwice("redlock_settle");
		assertThat(get(redlock.acquire("k", "x", LEASE))).isInstanceOf(Granted.class);
		masters.assertLostReplies(2);
		masters.runTwice("redlock_release");
		assertThat(get(redlock.release("k", "x"))).isTrue();
		masters.assertLostReplies(3);
	}

	@Test
	void releaseOnEveryMasterIsNoLossAlthoughAnotherOwnerIsQuicker() {
		Masters masters = new Masters();
		RedlockLockStore redlock = masters.store();
		get(redlock.acquire("k", "x", LEASE));
		masters.runTwice("redlock_release",
				(server) -> server.call("EVAL", LuaScript.ofList("redlock_acquire").source(), "3", "k", "{k}:fence",
						"{k}:outcome", "another", "60000", "1"));
		CompletableFuture<Boolean> released = redlock.release("k", "x").toCompletableFuture();
		await().atMost(PATIENCE).until(released::isDone);
		masters.assertLostReplies(1);
		assertThatExceptionOfType(Exception.class).isThrownBy(released::get)
			.withCauseInstanceOf(LockStoreException.class);
		masters.servers.forEach((server) -> assertThat(server.call("GET", "k")).isEqualTo("another"));
	}

	@Test
	void extensionAndRestorationOnAMasterAreAsOnce() {
		Masters masters = new Masters();
		RedlockLockStore redlock = masters.store();
		get(redlock.acquire("k", "x", LEASE));
		masters.runTwice("redlock_extend");
		assertThat(get(redlock.extend("k", "x", LONGER))).isTrue();
		masters.assertLostReplies(1);
		RedisTestServer restarted = masters.servers.get(0);
		restarted.call("FLUSHALL");
		masters.runTwice("redlock_restore");
		assertThat(get(redlock.extend("k", "x", LEASE))).isTrue();
		await().atMost(PATIENCE).until(() -> masters.proxies.get(0).lostReplies() == 2);
		assertThat(restarted.call("GET", "k")).isEqualTo("x");
		assertThat(Long.parseLong(restarted.call("PTTL", "k"))).isBetween(1L, LEASE.toMillis());
		assertThat(get(redlock.release("k", "x"))).isTrue();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(masters.servers)
				.allSatisfy((each) -> assertThat(each.call("GET", "k")).isEqualTo("(nil)")));
	}

	private static <T> T get(CompletionStage<T> answer) {
		CompletableFuture<T> future = answer.toCompletableFuture();
		assertThat(future).succeedsWithin(PATIENCE);
		return future.join();
	}

	private void assertLastToken(Acquisition answer, String key) {
		assertThat(answer).isInstanceOfSatisfying(Granted.class, (granted) -> assertThat(granted.lastToken())
			.isEqualTo(Long.parseLong(this.server.call("GET", "{" + key + "}:fence"))));
	}

	private static LeaseRequest request(String key) {
		return new LeaseRequest(key, "owner of " + key, LEASE);
	}

	private String holder() {
		return this.server.call("GET", "k");
	}

	private String waiters() {
		return this.server.call("LRANGE", "{k}:queue", "0", "-1");
	}

	private long remaining() {
		return Long.parseLong(this.server.call("PTTL", "k"));
	}

	private void runTwice(String script) {
		load(script);
		String digest = digest(script);
		this.proxy.closeBeforeReply((request) -> request.contains(digest));
	}

	private void assertTwice() {
		assertThat(this.proxy.lostReplies()).isOne();
	}

	private void load(String script) {
		load(this.server, script);
	}

	private static void load(RedisTestServer server, String script) {
		assertThat(server.call("SCRIPT", "LOAD", LuaScript.ofList(script).source())).isEqualTo(digest(script));
	}

	private static String digest(String script) {
		return LuaScript.ofList(script).digest();
	}

	private StringRedisTemplate connect(FaultProxy to) {
		return connect(to.host(), to.port());
	}

	private StringRedisTemplate connect(String host, int port) {
		StringRedisTemplate connected = RedisClients.LETTUCE.connect(host, port);
		connected.hasKey("connected");
		this.opened.add(() -> RedisClients.disconnect(connected));
		return connected;
	}

	private <T extends AutoCloseable> T open(T resource) {
		this.opened.add(resource);
		return resource;
	}

	/**
	 * Three masters, each behind a proxy.
	 */
	private final class Masters {

		private final List<RedisTestServer> servers = new ArrayList<>();

		private final List<FaultProxy> proxies = new ArrayList<>();

		Masters() {
			for (int i = 0; i < 3; i++) {
				this.servers.add(open(RedisServers.start()));
				this.proxies.add(open(FaultProxy.to(this.servers.get(i))));
			}
		}

		RedlockLockStore store() {
			RedlockLockStore opened = open(new RedlockLockStore(
					this.proxies.stream().map(DoubledScriptIntegrationTests.this::connect).toList(),
					Duration.ofSeconds(10)));
			for (RedisTestServer server : this.servers) {
				Arrays
					.asList("redlock_acquire", "redlock_settle", "redlock_extend", "redlock_restore", "redlock_release")
					.forEach((script) -> load(server, script));
			}
			return opened;
		}

		void runTwice(String script) {
			runTwice(script, (server) -> {
			});
		}

		void runTwice(String script, Consumer<RedisTestServer> between) {
			String digest = digest(script);
			for (int i = 0; i < 3; i++) {
				RedisTestServer server = this.servers.get(i);
				this.proxies.get(i).closeBeforeReply((request) -> {
					boolean matches = request.contains(digest);
					if (matches) {
						between.accept(server);
					}
					return matches;
				});
			}
		}

		void assertLostReplies(int number) {
			this.proxies.forEach((each) -> assertThat(each.lostReplies()).isEqualTo(number));
		}

	}

}
