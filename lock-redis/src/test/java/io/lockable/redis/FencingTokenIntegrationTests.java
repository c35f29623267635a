package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The last fencing token of a lock, as stored by each script that grants the lock.
 */
@Tag("servers")
class FencingTokenIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final String TOKEN = "{a}:fence";

	private static final String RETAINED = "owner@0123456789abcdef";

	/**
	 * The maximum distance of a block from the clock, in both directions.
	 */
	private static final long REACH = 10_000;

	private static final long SECOND = TimeUnit.SECONDS.toMicros(1);

	private static final long MINUTE = 60 * SECOND;

	private final RedisTestServer server = RedisServers.start();

	private final StringRedisTemplate template = RedisClients.LETTUCE.connect(this.server);

	private final RedisLockStore store = new RedisLockStore(this.template);

	@AfterEach
	void close() {
		this.store.close();
		RedisClients.disconnect(this.template);
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void firstTokenEverFollowsTheClock(Way way) {
		long now = clock();
		Granted first = take(way);
		assertThat(first.firstToken()).isGreaterThan(now);
		assertThat(kept()).isEqualTo(first.lastToken());
		assertThat(millisKept()).isBetween(100_000L, 120_001L);
	}

	@ParameterizedTest
	@EnumSource
	void firstTokenOfAMinuteSetsTheExpiry(Way way) {
		keep(clock() - MINUTE, Duration.ofSeconds(5));
		Granted granted = take(way);
		assertThat(kept()).isEqualTo(granted.lastToken());
		assertThat(millisKept()).isBetween(100_000L, 120_001L);
	}

	@ParameterizedTest
	@EnumSource
	void laterTokenOfTheMinuteLeavesTheExpiryAlone(Way way) {
		awaitTheMiddleOfAMinute();
		long now = clock();
		keep(now - now % MINUTE, Duration.ofSeconds(70));
		Granted granted = take(way);
		assertThat(kept()).isEqualTo(granted.lastToken());
		assertThat(millisKept()).isBetween(60_000L, 70_000L);
	}

	@ParameterizedTest
	@EnumSource
	void tokenAheadOfTheClockIsFollowedAndKeptUntilTheClockHasPassedIt(Way way) {
		long ahead = clock() + 60 * MINUTE;
		keep(ahead, Duration.ofSeconds(5));
		Granted granted = take(way);
		assertThat(granted.firstToken()).isEqualTo(ahead + 1);
		assertThat(kept()).isEqualTo(granted.lastToken());
		assertThat(millisKept()).isGreaterThan(TimeUnit.HOURS.toMillis(1));
	}

	/**
	 * The last token is close to the future clock. In some of the rounds, the block that
	 * ends there overlaps the block that would end at the clock.
	 */
	@ParameterizedTest
	@EnumSource
	void blocksNeverOverlap(Way way) {
		Random random = new Random(7);
		for (int i = 0; i < 500; i++) {
			long last = clock() + random.nextInt(1000);
			keep(last, Duration.ofSeconds(70));
			Granted granted = take(way);
			assertThat(granted.firstToken()).isGreaterThan(last);
			if (way == Way.ACQUIRE) {
				assertThat(granted.lastToken() - granted.firstToken()).isEqualTo(31);
			}
			else {
				assertThat(granted.firstToken()).isLessThanOrEqualTo(
						Math.max(Math.max(last, granted.lastToken() - REACH) + 1, granted.lastToken() - 31));
				assertThat(granted.lastToken() - granted.firstToken()).isBetween(31L, REACH + 31);
			}
			assertThat(kept()).isEqualTo(granted.lastToken());
			give();
		}
	}

	@Test
	void fullAnswerGivesAllTokensSinceTheBlockBefore() {
		awaitTheMiddleOfAMinute();
		long before = take(Way.ENQUEUE).lastToken();
		for (int i = 0; i < 100; i++) {
			give();
			Granted granted = take(Way.ENQUEUE);
			assertThat(granted.firstToken())
				.isEqualTo(Math.max(blockBefore(granted, before), granted.serverMicros() - REACH) + 1);
			assertThat(granted.lastToken()).isBetween(granted.firstToken() + 31, granted.serverMicros() + 32);
			before = granted.lastToken();
		}
	}

	@Test
	void messageGivesAllTokensSinceTheBlockBefore() {
		awaitTheMiddleOfAMinute();
		RecordedGrants grants = new RecordedGrants();
		assertThat(this.store.subscribe(grants)).succeedsWithin(Duration.ofSeconds(10));
		long before = take(Way.ACQUIRE).lastToken();
		answer(this.store.enqueue("a", "next", LEASE, false));
		assertThat(answer(this.store.release("a", "owner"))).isTrue();
		await().until(() -> !grants.all().isEmpty());
		Granted granted = grants.all().get(0).granted();
		assertThat(granted.firstToken())
			.isEqualTo(Math.max(blockBefore(granted, before), granted.serverMicros() - REACH) + 1);
		assertThat(granted.lastToken()).isEqualTo(kept());
		Granted again = (Granted) answer(this.store.enqueue("a", "next", LEASE, false));
		assertThat(again.firstToken()).isEqualTo(granted.lastToken() - 31);
		assertThat(again.lastToken()).isEqualTo(granted.lastToken());
	}

	@Test
	void refusalReportsTheLastTokenIfThereIsOne() {
		assertThat(this.store.subscribe(new RecordedGrants())).succeedsWithin(Duration.ofSeconds(10));
		answer(this.store.acquire("a", "another", LEASE));
		refusalsReport(kept());
		assertThat(this.server.call("DEL", TOKEN)).isEqualTo("1");
		refusalsReport(0);
		this.server.call("RPUSH", TOKEN, "of another type");
		refusalsReport(0);
	}

	@Test
	void refusalOfAShareReportsTheLastToken() {
		assertThat(this.store.subscribe(new RecordedGrants())).succeedsWithin(Duration.ofSeconds(10));
		answer(this.store.acquireShared("a", "another", LEASE, 1));
		assertThat(answer(this.store.enqueueShared("a", "owner", LEASE, 1))).isInstanceOfSatisfying(Refused.class,
				(refused) -> assertThat(refused.lastToken()).isEqualTo(kept()));
	}

	private void refusalsReport(long token) {
		for (Acquisition answer : List.of(answer(this.store.enqueue("a", "owner", LEASE, false)),
				answer(this.store.enqueueShared("a", "owner", LEASE, 2)),
				answer(this.store.transfer("a", "owner", "successor", LEASE)),
				answer(this.store.yieldTurn("a", "former", "owner", LEASE)).next())) {
			assertThat(answer).isInstanceOfSatisfying(Refused.class,
					(refused) -> assertThat(refused.lastToken()).isEqualTo(token));
		}
	}

	/**
	 * A promoted master, or a server restored from an old snapshot, knows neither the
	 * last token nor the lock.
	 */
	@ParameterizedTest
	@EnumSource
	void tokensGrowOnAServerThatKnowsAnOlderLastToken(Way way) {
		long old = take(Way.ENQUEUE).lastToken();
		for (String successor : new String[] { "other", RETAINED }) {
			await().until(() -> clock() > old + 2 * REACH);
			Granted lost = (Granted) answer(this.store.transfer("a", "owner", successor, LEASE));
			give();
			keep(old, Duration.ofSeconds(70));
			await().until(() -> clock() > lost.lastToken() + REACH);
			assertThat(take(way).firstToken()).isGreaterThan(lost.lastToken());
		}
	}

	@ParameterizedTest
	@EnumSource
	void tokensGrowThroughARestartThatForgetsThem(Way way) {
		take(Way.ACQUIRE);
		Granted lost = (Granted) answer(this.store.transfer("a", "owner", RETAINED, LEASE));
		this.server.restart();
		assertThat(this.server.call("EXISTS", TOKEN)).isEqualTo("0");
		await().ignoreExceptions()
			.untilAsserted(() -> assertThat(take(way).firstToken()).isGreaterThan(lost.lastToken()));
	}

	@Test
	void transferThatRetainsTheLockReservesTokensAheadOfTheClock() {
		awaitTheMiddleOfAMinute();
		long last = take(Way.ACQUIRE).lastToken();
		String owner = "owner";
		for (int i = 0; i < 100; i++) {
			Granted granted = (Granted) answer(this.store.transfer("a", owner, RETAINED, LEASE));
			assertThat(granted.firstToken()).isEqualTo(blockBefore(granted, last) + 1);
			assertThat(granted.lastToken()).isEqualTo(Math.max(last + 32, granted.serverMicros() + REACH));
			assertThat(kept()).isEqualTo(granted.lastToken());
			assertThat(millisKept()).isGreaterThan(60_000 + REACH / 1000);
			last = granted.lastToken();
			owner = RETAINED;
		}
		assertThat(last).isLessThanOrEqualTo(clock() + REACH);
	}

	@Test
	void transferOfARetainedLockNeverShortensTheLease() {
		take(Way.ACQUIRE);
		answer(this.store.transfer("a", "owner", RETAINED, LEASE));
		answer(this.store.transfer("a", RETAINED, RETAINED, Duration.ofSeconds(1)));
		assertThat(Long.parseLong(this.server.call("PTTL", "a"))).isGreaterThan(5000);
		answer(this.store.transfer("a", RETAINED, RETAINED, Duration.ofSeconds(60)));
		assertThat(Long.parseLong(this.server.call("PTTL", "a"))).isGreaterThan(50_000);
	}

	/**
	 * A block needs 32 tokens. With fewer microseconds since the last one, it starts at
	 * the clock.
	 */
	private static long blockBefore(Granted granted, long last) {
		long passed = granted.serverMicros() - last;
		return (passed > 0 && passed < 32) ? granted.serverMicros() : last;
	}

	/**
	 * The first block of a minute is a small one.
	 */
	private void awaitTheMiddleOfAMinute() {
		await().until(() -> clock() % MINUTE < MINUTE - 2 * SECOND);
	}

	private static <T> T answer(CompletionStage<T> asked) {
		return asked.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
	}

	private Granted take(Way way) {
		CompletionStage<Acquisition> asked = (way == Way.ACQUIRE) ? this.store.acquire("a", "owner", LEASE)
				: this.store.enqueue("a", "owner", LEASE, false);
		return (Granted) answer(asked);
	}

	private void give() {
		assertThat(this.server.call("DEL", "a")).isEqualTo("1");
	}

	private void keep(long token, Duration time) {
		this.server.call("SET", TOKEN, Long.toString(token), "PX", Long.toString(time.toMillis()));
	}

	private long kept() {
		return Long.parseLong(this.server.call("GET", TOKEN));
	}

	private long millisKept() {
		return Long.parseLong(this.server.call("PTTL", TOKEN));
	}

	private long clock() {
		List<Long> time = this.server.call("TIME").lines().map(Long::valueOf).toList();
		return time.get(0) * SECOND + time.get(1);
	}

	/**
	 * The script for a free lock, and a script that also queues its owner.
	 */
	enum Way {

		ACQUIRE, ENQUEUE

	}

}
