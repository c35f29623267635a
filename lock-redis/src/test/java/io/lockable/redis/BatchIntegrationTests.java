package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockable.LockStoreException;
import io.lockable.store.Acquisition;
import io.lockable.store.Grant;
import io.lockable.store.Granted;
import io.lockable.store.Inbox;
import io.lockable.store.Refused;
import io.lockable.test.redis.CommandLog;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Concurrent calls share a command, and each gets the same answer as alone.
 */
@ParameterizedClass
@EnumSource
@Timeout(60)
class BatchIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(20);

	/**
	 * The number of threads that send commands at once over a blocking client.
	 */
	private static final int COMBINERS = 7;

	/**
	 * The longest time that a call waits to share a command.
	 */
	private static final long PATIENCE_NANOS = Duration.ofMillis(500).toNanos();

	private static final Pattern COMMANDS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");

	private final RedisTestServer server = RedisServers.start();

	private final RedisClients client;

	private final StringRedisTemplate template;

	private final RedisLockStore store;

	private final List<Thread> threads = new ArrayList<>();

	BatchIntegrationTests(RedisClients client) {
		this.client = client;
		this.template = client.connect(this.server);
		this.store = new RedisLockStore(this.template);
	}

	/**
	 * Connects, and loads the scripts into the server.
	 */
	@BeforeEach
	void warmUp() throws Exception {
		take("warm-up", "a");
		assertThat(answer(this.store.release("warm-up", "a"))).isTrue();
		together(() -> this.store.acquire("one", "a", LEASE), () -> this.store.acquire("two", "a", LEASE));
		this.server.call("FLUSHALL");
	}

	@AfterEach
	void close() {
		this.store.close();
		RedisClients.disconnect(this.template);
		this.server.close();
	}

	@Test
	void acquisitionsAndReleasesOfSeveralLocksAreDoneTogether() throws Exception {
		take("c", "mine");
		List<Future<Object>> answers;
		try (CommandLog log = CommandLog.start(this.server)) {
			answers = together(() -> this.store.acquire("a", "mine", LEASE),
					() -> this.store.acquire("b", "mine", LEASE), () -> this.store.release("c", "mine"));
			if (this.client == RedisClients.LETTUCE) {
				assertThat(log.read().stream().filter((command) -> command.startsWith("EVAL"))).as("with the gate")
					.hasSize(2);
			}
		}
		Granted a = (Granted) answers.get(0).get();
		Granted b = (Granted) answers.get(1).get();
		assertThat(a.lastToken() - a.firstToken()).isEqualTo(31);
		assertThat(b.lastToken() - b.firstToken()).isEqualTo(31);
		assertThat(answers.get(2).get()).isEqualTo(true);
		assertThat(holder("a")).isEqualTo("mine");
		assertThat(remaining("a")).isBetween(1L, LEASE.toMillis());
		assertThat(holder("c")).isEmpty();
	}

	@Test
	void tokensGrowFromBatchToBatch() throws Exception {
		long last = take("a", "first").lastToken();
		for (int i = 0; i < 3; i++) {
			answer(this.store.release("a", holder("a")));
			String owner = "owner-" + i;
			Granted next = (Granted) together(() -> this.store.acquire("a", owner, LEASE),
					() -> this.store.acquire("b", owner, LEASE))
				.get(0)
				.get();
			assertThat(next.firstToken()).isGreaterThan(last);
			last = next.lastToken();
			assertThat(remaining("{a}:fence")).isPositive();
		}
		answer(this.store.release("a", holder("a")));
		Granted alone = take("a", "alone");
		assertThat(alone.firstToken()).isGreaterThan(last);
	}

	@Test
	void eachIsAnsweredForItself() throws Exception {
		take("held", "other");
		Granted first = take("own", "mine");
		take("shared-not", "other");
		List<Future<Object>> answers = together(() -> this.store.acquire("held", "mine", LEASE),
				() -> this.store.acquire("own", "mine", Duration.ofSeconds(60)),
				() -> this.store.release("shared-not", "mine"), () -> this.store.acquire("free", "mine", LEASE),
				() -> this.store.release("gone", "mine"));
		Refused refused = (Refused) answers.get(0).get();
		assertThat(refused.remaining()).isPositive().isLessThanOrEqualTo(LEASE);
		Granted again = (Granted) answers.get(1).get();
		assertThat(again.lastToken()).isEqualTo(first.lastToken());
		assertThat(remaining("own")).isGreaterThan(LEASE.toMillis());
		assertThat(answers.get(2).get()).isEqualTo(false);
		assertThat(holder("shared-not")).isEqualTo("other");
		assertThat(answers.get(3).get()).isInstanceOf(Granted.class);
		assertThat(answers.get(4).get()).isEqualTo(false);
	}

	@Test
	void holderWithoutExpiryIsRefusedAsAlone() throws Exception {
		this.server.call("SET", "for-ever", "somebody");
		Acquisition alone = answer(this.store.acquire("for-ever", "mine", LEASE));
		List<Future<Object>> answers = together(() -> this.store.acquire("for-ever", "mine", LEASE),
				() -> this.store.acquire("free", "mine", LEASE));
		assertThat(answers.get(0).get()).isEqualTo(alone);
	}

	@Test
	void releaseServesWhoWaitsAndWhoShares() throws Exception {
		take("wanted", "mine");
		answer(this.store.subscribe(new IgnoringInbox()));
		assertThat(answer(this.store.enqueue("wanted", "waiter", LEASE, false))).isInstanceOf(Refused.class);
		assertThat(answer(this.store.acquireShared("shared", "mine", LEASE, 3))).isInstanceOf(Granted.class);
		assertThat(answer(this.store.acquireShared("shared", "other", LEASE, 3))).isInstanceOf(Granted.class);
		List<Future<Object>> answers = together(() -> this.store.release("wanted", "mine"),
				() -> this.store.release("shared", "mine"), () -> this.store.acquire("free", "mine", LEASE));
		assertThat(answers.get(0).get()).isEqualTo(true);
		assertThat(answers.get(1).get()).isEqualTo(true);
		assertThat(answers.get(2).get()).isInstanceOf(Granted.class);
		assertThat(holder("wanted")).isEqualTo("waiter");
		assertThat(answer(this.store.release("shared", "mine"))).isFalse();
		assertThat(answer(this.store.release("shared", "other"))).isTrue();
	}

	/**
	 * With pipelined releases, a thread proceeds without the answer to its release. Over
	 * Jedis it waits for each answer.
	 */
	@Test
	void whatComesAfterAReleaseFindsItDone() throws Exception {
		assertThat(answer(this.store.acquireShared("shared", "mine", LEASE, 1))).isInstanceOf(Granted.class);
		take("own", "mine");
		Question releaseShare = () -> this.store.release("shared", "mine");
		Question release = () -> this.store.release("own", "mine");
		if (this.client == RedisClients.LETTUCE) {
			List<Future<Object>> answers = together(releaseShare, release,
					() -> this.store.acquire("own", "next", LEASE),
					() -> this.store.acquireShared("shared", "next", LEASE, 1));
			assertThat(answers.get(2).get()).isInstanceOf(Granted.class);
			assertThat(answers.get(3).get()).isInstanceOf(Granted.class);
		}
		else {
			together(releaseShare, release);
			assertThat(take("own", "next")).isNotNull();
			assertThat(answer(this.store.acquireShared("shared", "next", LEASE, 1))).isInstanceOf(Granted.class);
		}
	}

	@Test
	void errorOfOneIsToldToThatOne() throws Exception {
		take("c", "mine");
		this.server.call("HSET", "wrong", "field", "value");
		this.server.call("HSET", "{counter}:fence", "field", "value");
		List<Future<Object>> answers = together(() -> this.store.acquire("a", "mine", LEASE),
				() -> this.store.acquire("wrong", "mine", LEASE), () -> this.store.acquire("counter", "mine", LEASE),
				() -> this.store.release("wrong", "mine"), () -> this.store.release("c", "mine"));
		assertThat(answers.get(0).get()).isInstanceOf(Granted.class);
		for (int i = 1; i < 4; i++) {
			Future<Object> failed = answers.get(i);
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(failed::get)
				.withCauseInstanceOf(LockStoreException.class)
				.withMessageContaining("WRONGTYPE");
		}
		assertThat(answers.get(4).get()).isEqualTo(true);
	}

	@Test
	void serverThatHasForgottenTheScriptsIsToldThem() throws Exception {
		this.server.call("SCRIPT", "FLUSH");
		List<Future<Object>> answers = together(() -> this.store.acquire("a", "mine", LEASE),
				() -> this.store.acquire("b", "mine", LEASE));
		for (Future<Object> answer : answers) {
			assertThat(answer.get()).isInstanceOf(Granted.class);
		}
	}

	@Test
	void whatTheUserMayNotTouchKeepsNobodyElseOut() throws Exception {
		this.server.call("ACL", "SETUSER", "default", "resetkeys", "~a", "~{a}:*", "~gate*", "~{gate*");
		List<Future<Object>> answers = together(() -> this.store.acquire("a", "mine", LEASE),
				() -> this.store.acquire("forbidden", "mine", LEASE));
		assertThat(answers.get(0).get()).isInstanceOf(Granted.class);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(answers.get(1)::get)
			.withMessageContaining("NOPERM");
	}

	@Test
	void commandThatTheUserMayNotUseFailsOnlyWhoNeedsIt() throws Exception {
		take("own", "mine");
		take("held", "other");
		this.server.call("ACL", "SETUSER", "default", "-del", "-pttl");
		List<Future<Object>> answers = together(() -> this.store.acquire("a", "mine", LEASE),
				() -> this.store.release("own", "mine"), () -> this.store.acquire("held", "mine", LEASE),
				() -> this.store.release("gone", "mine"), () -> this.store.acquire("b", "mine", LEASE));
		assertThat(answers.get(0).get()).isInstanceOf(Granted.class);
		for (Future<Object> refused : List.of(answers.get(1), answers.get(2))) {
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(refused::get)
				.withCauseInstanceOf(LockStoreException.class);
		}
		assertThat(answers.get(3).get()).isEqualTo(false);
		assertThat(answers.get(4).get()).isInstanceOf(Granted.class);
		assertThat(holder("own")).isEqualTo("mine");
	}

	@Test
	void manyThreadsExcludeEachOtherWithFewerCommandsThanCalls() throws Exception {
		this.server.call("CONFIG", "RESETSTAT");
		int keys = 8;
		List<AtomicInteger> inside = new ArrayList<>();
		for (int i = 0; i < keys; i++) {
			inside.add(new AtomicInteger());
		}
		AtomicInteger grants = new AtomicInteger();
		AtomicInteger calls = new AtomicInteger();
		AtomicInteger number = new AtomicInteger();
		try (Crew crew = new Crew()) {
			crew.startAll(16, () -> {
				int self = number.getAndIncrement();
				for (int round = 0; round < 500; round++) {
					int key = (self + round) % keys;
					String owner = "owner-" + self + '-' + round;
					calls.incrementAndGet();
					if (answer(this.store.acquire("key-" + key, owner, LEASE)) instanceof Granted) {
						assertThat(inside.get(key).incrementAndGet()).isEqualTo(1);
						grants.incrementAndGet();
						inside.get(key).decrementAndGet();
						calls.incrementAndGet();
						assertThat(answer(this.store.release("key-" + key, owner))).isTrue();
					}
				}
			});
			crew.join(Duration.ofSeconds(40));
		}
		assertThat(grants).hasValueGreaterThan(500);
		assertThat(commands()).isPositive().isLessThan(calls.get() * 9 / 10);
		for (int key = 0; key < keys; key++) {
			assertThat(holder("key-" + key)).isEmpty();
		}
	}

	/**
	 * Issues all calls while nothing can be sent, so that they share a command.
	 */
	private List<Future<Object>> together(Question... calls) throws Exception {
		return (this.client == RedisClients.LETTUCE) ? whileTheEventLoopIsBusy(List.of(calls))
				: whileAllThreadsAreInFlight(List.of(calls));
	}

	private List<Future<Object>> whileTheEventLoopIsBusy(List<Question> calls) throws Exception {
		CountDownLatch busy = new CountDownLatch(1);
		CountDownLatch sent = new CountDownLatch(1);
		CompletableFuture<?> gate = new CompletableFuture<>();
		this.server.call("CLIENT", "PAUSE", "10000", "WRITE");
		this.store.release("gate", "nobody").thenAccept((released) -> {
			busy.countDown();
			awaitUninterruptibly(sent);
			gate.complete(null);
		});
		this.server.call("CLIENT", "UNPAUSE");
		answer(busy);
		List<Future<Object>> answers = new ArrayList<>();
		for (Question call : calls) {
			answers.add(call.ask().<Object>thenApply((answer) -> answer).toCompletableFuture());
		}
		sent.countDown();
		gate.get(10, TimeUnit.SECONDS);
		return done(answers);
	}

	private List<Future<Object>> whileAllThreadsAreInFlight(List<Question> calls) throws Exception {
		this.server.call("CLIENT", "PAUSE", "10000", "WRITE");
		for (int i = 0; i < COMBINERS; i++) {
			String gate = "gate-" + i;
			start(() -> this.store.release(gate, "nobody"));
		}
		await().until(() -> this.server.call("CLIENT", "LIST").split("cmd=evalsha").length > COMBINERS);
		List<Future<Object>> answers = new ArrayList<>();
		for (Question call : calls) {
			answers.add(start(call));
		}
		List<Thread> last = this.threads.subList(this.threads.size() - calls.size(), this.threads.size());
		long patience = System.nanoTime() + PATIENCE_NANOS;
		await().pollInterval(Duration.ofMillis(5))
			.until(() -> System.nanoTime() - patience > 0
					|| last.stream().allMatch((thread) -> thread.getState() == Thread.State.TIMED_WAITING));
		this.server.call("CLIENT", "UNPAUSE");
		return done(answers);
	}

	private CompletableFuture<Object> start(Question call) {
		CompletableFuture<Object> answer = new CompletableFuture<>();
		Thread thread = new Thread(() -> call.ask().whenComplete((answered, failure) -> {
			if (failure != null) {
				answer.completeExceptionally(failure);
			}
			else {
				answer.complete(answered);
			}
		}));
		this.threads.add(thread);
		thread.start();
		return answer;
	}

	private static List<Future<Object>> done(List<Future<Object>> answers) {
		await().atMost(Duration.ofSeconds(20)).until(() -> answers.stream().allMatch(Future::isDone));
		return answers;
	}

	private Granted take(String key, String owner) throws Exception {
		return (Granted) answer(this.store.acquire(key, owner, LEASE));
	}

	private String holder(String key) {
		String holder = this.template.opsForValue().get(key);
		return (holder != null) ? holder : "";
	}

	private long remaining(String key) {
		return Long.parseLong(this.server.call("PTTL", key));
	}

	private int commands() {
		Matcher matcher = COMMANDS.matcher(this.server.call("INFO", "commandstats"));
		assertThat(matcher.find()).isTrue();
		return Integer.parseInt(matcher.group(1));
	}

	private static <T> T answer(CompletionStage<T> stage)
			throws ExecutionException, InterruptedException, TimeoutException {
		return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
	}

	private static void answer(CountDownLatch latch) throws InterruptedException {
		assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * A call on the store.
	 */
	private interface Question {

		CompletionStage<?> ask();

	}

	/**
	 * An inbox that ignores grants.
	 */
	private static final class IgnoringInbox implements Inbox {

		@Override
		public void granted(Grant grant) {
		}

		@Override
		public void resubscribed() {
		}

	}

}
