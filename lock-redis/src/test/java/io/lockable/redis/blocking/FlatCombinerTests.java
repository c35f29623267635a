package io.lockable.redis.blocking;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.lockable.redis.Crew;
import io.lockable.redis.script.LockKeys;
import io.lockable.redis.script.LockScripts;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptCall.Mode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FlatCombiner}.
 */
@Timeout(60)
class FlatCombinerTests {

	private FlatCombiner combiner = new FlatCombiner(this::together, this::alone, Duration.ofSeconds(30));

	private final List<List<String>> left = new CopyOnWriteArrayList<>();

	private final List<String> ranAlone = new CopyOnWriteArrayList<>();

	private final List<String> answered = new CopyOnWriteArrayList<>();

	private final AtomicInteger interruptedOnTheWay = new AtomicInteger();

	private final Semaphore back = new Semaphore(0);

	private final List<Thread> threads = new ArrayList<>();

	@AfterEach
	void join() throws InterruptedException {
		this.back.release(1_000_000);
		for (Thread thread : this.threads) {
			thread.join(TimeUnit.SECONDS.toMillis(20));
			assertThat(thread.isAlive()).isFalse();
		}
	}

	@Test
	void fewThreadsGoAtOnceEachByItself() {
		for (int i = 0; i < FlatCombiner.COMBINERS; i++) {
			start("key-" + i);
			int trips = i + 1;
			await().until(() -> this.left.size() == trips);
		}
		assertThat(this.left).allSatisfy((trip) -> assertThat(trip).hasSize(1));
	}

	@Test
	void whoFindsAllTripsTakenGoesWithTheNextOne() {
		takeAllTrips();
		lineUp("a", "b", "c");
		assertThat(this.left).hasSize(FlatCombiner.COMBINERS);
		this.back.release();
		await().until(() -> this.left.size() == FlatCombiner.COMBINERS + 1);
		assertThat(this.left).last().isEqualTo(List.of("a", "b", "c"));
		this.back.release(FlatCombiner.COMBINERS);
		await().until(() -> this.answered.size() == FlatCombiner.COMBINERS + 3);
	}

	@Test
	void tripsAreFreeAgainAfterwards() {
		takeAllTrips();
		lineUp("a");
		this.back.release(FlatCombiner.COMBINERS + 1);
		await().until(() -> this.threads.stream().noneMatch(Thread::isAlive));
		this.left.clear();
		fewThreadsGoAtOnceEachByItself();
	}

	@Test
	void whatHasToBeRunAloneIsRunByItsOwnThread() {
		takeAllTrips();
		lineUp("a", "alone-b", "alone-c");
		this.back.release(100);
		await().until(() -> this.ranAlone.size() == 2);
		assertThat(this.ranAlone).containsExactlyInAnyOrder("alone-b by alone-b", "alone-c by alone-c");
		await().until(() -> this.answered.size() == FlatCombiner.COMBINERS + 3);
	}

	@Test
	void interruptionIsKeptAndEndsNoWait() throws InterruptedException {
		takeAllTrips();
		AtomicInteger interrupted = new AtomicInteger();
		Thread another = new Thread(() -> {
			this.combiner.run(call("b"));
			interrupted.set(Thread.currentThread().isInterrupted() ? 1 : -1);
		}, "b");
		this.threads.add(another);
		another.start();
		await().until(() -> another.getState() == Thread.State.TIMED_WAITING);
		another.interrupt();
		assertThat(this.left).hasSize(FlatCombiner.COMBINERS);
		this.back.release(100);
		another.join(TimeUnit.SECONDS.toMillis(20));
		assertThat(interrupted).hasValue(1);
		assertThat(this.answered).contains("b");
	}

	@Test
	void interruptionIsNoBusinessOfThoseWhoComeAlong() throws InterruptedException {
		AtomicInteger interrupted = new AtomicInteger();
		Thread thread = new Thread(() -> {
			Thread.currentThread().interrupt();
			this.combiner.run(call("a"));
			interrupted.set(Thread.currentThread().isInterrupted() ? 1 : -1);
		});
		this.threads.add(thread);
		this.back.release();
		thread.start();
		thread.join(TimeUnit.SECONDS.toMillis(20));
		assertThat(interrupted).hasValue(1);
		assertThat(this.interruptedOnTheWay).hasValue(0);
	}

	@Test
	void whoHasWaitedForLongGoesByItself() {
		this.combiner = new FlatCombiner(this::together, this::alone, Duration.ofMillis(300));
		takeAllTrips();
		start("a");
		await().until(() -> this.answered.contains("a"));
		assertThat(this.ranAlone).containsExactly("a by a");
		assertThat(this.left).hasSize(FlatCombiner.COMBINERS);
	}

	@Test
	void fewThreadsGoByThemselvesAtATime() {
		int waiting = 3 * FlatCombiner.MAX_ALONE;
		this.combiner = new FlatCombiner(this::together, (call) -> {
			this.ranAlone.add(key(call));
			this.back.acquireUninterruptibly();
			call.callback().accept(List.of(1L), null, true);
		}, Duration.ofMillis(100));
		takeAllTrips();
		IntStream.range(0, waiting).forEach((i) -> start("waiting-" + i));
		await().until(() -> this.ranAlone.size() == FlatCombiner.MAX_ALONE);
		await().during(Duration.ofMillis(500)).until(() -> this.ranAlone.size() == FlatCombiner.MAX_ALONE);
		this.back.release(100);
		await().until(() -> this.answered.size() == FlatCombiner.COMBINERS + waiting);
	}

	@Test
	void errorOnTheWayFreesTheTrip() {
		for (int i = 0; i < FlatCombiner.COMBINERS + 1; i++) {
			assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> this.combiner.run(call("error")));
		}
		this.left.clear();
		fewThreadsGoAtOnceEachByItself();
	}

	@Test
	void everyCallOfManyThreadsIsAnsweredOnce() throws Exception {
		this.back.release(1_000_000);
		int rounds = 5_000;
		AtomicInteger number = new AtomicInteger();
		try (Crew crew = new Crew()) {
			crew.startAll(16, () -> {
				int self = number.getAndIncrement();
				for (int round = 0; round < rounds; round++) {
					AtomicInteger answers = new AtomicInteger();
					this.combiner.run(new ScriptCall(LockScripts.ACQUIRE,
							LockKeys.ofFree(((round % 3 == 0) ? "alone-" : "key-") + self), new byte[0][],
							Mode.JOINABLE, (integers, failure, sentOnce) -> answers.incrementAndGet()));
					assertThat(answers).hasValue(1);
				}
			});
			crew.join(Duration.ofSeconds(40));
		}
		assertThat(this.left.size()).isLessThanOrEqualTo(16 * rounds);
		assertThat(this.left.stream().mapToInt(List::size).sum()).isEqualTo(16 * rounds);
	}

	private void takeAllTrips() {
		IntStream.range(0, FlatCombiner.COMBINERS).forEach((i) -> start("first-" + i));
		await().until(() -> this.left.size() == FlatCombiner.COMBINERS);
	}

	private void lineUp(String... keys) {
		for (String key : keys) {
			start(key);
			Thread thread = this.threads.get(this.threads.size() - 1);
			await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
		}
	}

	private void start(String key) {
		Thread thread = new Thread(() -> this.combiner.run(call(key)), key);
		this.threads.add(thread);
		thread.start();
	}

	private ScriptCall call(String key) {
		return new ScriptCall(LockScripts.ACQUIRE, LockKeys.ofFree(key), new byte[0][], Mode.JOINABLE,
				(integers, failure, sentOnce) -> this.answered.add(key));
	}

	private void together(List<ScriptCall> calls, Consumer<ScriptCall> again) {
		this.left.add(calls.stream().map(FlatCombinerTests::key).toList());
		if (key(calls.get(0)).equals("error")) {
			throw new StackOverflowError();
		}
		if (Thread.currentThread().isInterrupted()) {
			this.interruptedOnTheWay.incrementAndGet();
		}
		this.back.acquireUninterruptibly();
		for (ScriptCall call : calls) {
			if (key(call).startsWith("alone")) {
				again.accept(call);
			}
			else {
				call.callback().accept(List.of(1L), null, true);
			}
		}
	}

	private void alone(ScriptCall call) {
		this.ranAlone.add(key(call) + " by " + Thread.currentThread().getName());
		call.callback().accept(List.of(1L), null, true);
	}

	private static String key(ScriptCall call) {
		return new String(call.keys()[0], StandardCharsets.UTF_8);
	}

}
