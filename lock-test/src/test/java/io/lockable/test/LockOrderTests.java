package io.lockable.test;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockOrder}. A lock is written as {@code name=key}, and a nest as its
 * locks from the outside in.
 */
@SuppressWarnings("LockNotBeforeTry")
class LockOrderTests {

	private final LockTestClock clock = new LockTestClock();

	private final LockOrder order = new LockOrder();

	private final LockEngine engine = engine(new InMemoryLockStore(this.clock));

	private LockEngine engine(LockStore store) {
		LockEngine built = LockEngine.builder(store)
			.runtime(this.clock)
			.shutdownTimeout(Duration.ZERO)
			.listener(this.order)
			.build();
		this.order.watch(built);
		return built;
	}

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	void contradictionIsReportedOnceWithTheStackOfEachOrder() {
		nest("order=x1 stock=y2");
		isInOrder();
		nest("stock=y3 order=x4");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(this.order::check)
			.withMessageContaining("deadlock: 'stock' before 'order' before 'stock'.")
			.withMessageContaining("holds 'stock' (key y3) and requests 'order' (key x4)")
			.satisfies((error) -> assertThat(error.getSuppressed()).singleElement()
				.asString()
				.contains("holds 'order' (key x1) and requests 'stock' (key y2)"));
		isInOrder();
		nest("stock=y3 order=x4");
		isContradiction("'stock' before 'order' before 'stock'");
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '"', value = { "a=1 b=2 c=3 | c=3 a=1, 'c' before 'a' before 'c'",
			"a=1 b=2 | b=2 c=3 | c=3 d=4 | d=4 a=1, 'd' before 'a' before 'b' before 'c' before 'd'",
			"account=1 account=2 | account=2 account=1, key 2 before key 1 before key 2",
			"none=1 none=2 | none=2 none=1, key 2 before key 1 before key 2",
			"pay=1 take=2 | restock=2 refund=1, key 2 before key 1 before key 2",
			"a=2 b=1 | b=2 a=1, 'b' before 'a' before 'b'", "a=1 b=2 | b=1 a=2 | b=2 a=1, 'b' before 'a' before 'b'",
			"gate=1 a=2 b=3 | gate=4 b=3 a=2, key 3 before key 2 before key 3",
			"gate=1 a=2 b=3 | b=3 a=2, 'b' before 'a' before 'b'",
			"a=1 gate=2 b=3 | b=3 gate=2, 'b' before 'gate' before 'b'", "a=1 b=2 | a=3 b=4 c=5 | b=6 c=7, ",
			"a=1 b=2 a=1, ", "a=1 b=2 | b=1 a=2, ", "account=1 account=2 | account=2 account=3, ",
			"node=1 log=2 node=3 | node=3 log=4 node=5, ", "gate=1 a=2 b=3 | gate=1 b=3 a=2, ",
			"gate=1 a=2 b=3 | gate=4 b=6 a=5, ", "gate=1 a=2 b=3 | b=3 c=4 | gate=1 c=4 a=2, " })
	void contradictionOfNests(String nests, @Nullable String report) {
		for (String nest : nests.split(" [|] ", -1)) {
			startThread(() -> nest(nest)).join();
		}
		if (report != null) {
			isContradiction(report);
		}
		isInOrder();
	}

	@Test
	void readLocksCount() {
		nest("a=1 b=2");
		this.engine.getReadWriteLock("2", options("b")).readLock().run(() -> nest("a=1"));
		isContradiction("'b' before 'a' before 'b'");
	}

	@Test
	void readLockOfAnotherThreadDoesNotCount() {
		DistributedLock other = this.engine.getReadWriteLock("2", options("other")).readLock();
		this.engine.getReadWriteLock("2", options("b"))
			.readLock()
			.run(() -> startThread(() -> other.run(() -> nest("a=1"))).join());
		nest("a=3 b=4");
		isInOrder();
		nest("a=3 other=4");
		isContradiction("'a' before 'other' before 'a'");
	}

	@Test
	void storeNeedNotShareLocks() {
		try (LockEngine exclusive = engine(new MapLockStore())) {
			nest(exclusive, List.of("a=1", "b=2"));
			nest(exclusive, List.of("b=2", "a=1"));
		}
		isContradiction("'b' before 'a' before 'b'");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void keysOfOneCallAreNestedInTheLocksAroundIt(boolean fair) {
		DistributedLock several = this.engine.getAll(List.of("2", "3"), options("b").withFair(fair));
		nest("b=3 b=2");
		several.run(() -> nest("c=4"));
		lock("a=1").run(() -> several.run(() -> {
		}));
		isInOrder();
		nest("b=9 a=1");
		isContradiction("'b' before 'a' before 'b'");
		nest("c=5 b=1");
		isContradiction("'c' before 'b' before 'c'");
	}

	@Test
	void tryWithoutAWaitIsOnlyTheOuterLock() {
		nest("a=1 b=2");
		lock("b=2").run(() -> {
			assertThat(lock("a=1").tryLock()).isTrue();
			lock("a=1").unlock();
			this.engine.get("1", options("a").withWaitTime(Duration.ZERO)).run(() -> {
			});
		});
		isInOrder();
		assertThat(lock("b=2").tryLock()).isTrue();
		nest("a=1");
		isContradiction("'b' before 'a' before 'b'");
	}

	@Test
	void leaseIsOnlyTheInnerLock() throws Exception {
		nest("a=1 b=2");
		try (Lease outer = lock("b=2").acquire()) {
			nest("a=1");
		}
		isInOrder();
		lock("b=2").lock();
		lock("a=1").acquire().close();
		isContradiction("'b' before 'a' before 'b'");
	}

	@Test
	void leaseExcludesTheOtherOrder() throws Exception {
		for (String nest : List.of("a=1 b=2", "b=2 a=1")) {
			Lease gate = lock("gate=3").acquireAsync().get(1, TimeUnit.MINUTES);
			nest(nest);
			gate.close();
		}
		isInOrder();
		Lease leader = lock("leader=4").acquireAsync().get(1, TimeUnit.MINUTES);
		isInOrder();
		nest("c=5 d=6");
		nest("d=6 c=5");
		leader.close();
		isContradiction("'d' before 'c' before 'd'");
	}

	@Test
	void lockOfAnotherThreadOrOfAFutureIsNotRequested() {
		nest("a=1 b=2");
		List<CompletableFuture<Lease>> futures = new ArrayList<>();
		lock("b=2").run(() -> {
			startThread(() -> nest("a=1")).join();
			futures.add(lock("a=1").acquireAsync());
			futures.add(this.engine.getAll(List.of("3", "4"), options("a")).acquireAsync());
		});
		assertThat(futures).allSatisfy((future) -> assertThat(future).succeedsWithin(Duration.ofMinutes(1)));
		isInOrder();
	}

	@Test
	void lockThatATestLeavesBehindIsNotHeldInTheNextOne() {
		nest("a=1 b=2");
		lock("b=2").lock();
		isInOrder();
		nest("a=1");
		isInOrder();
	}

	@Test
	void concurrentNestsOfOneOrderAreNeverReported() {
		List<CompletableFuture<Void>> threads = IntStream.range(0, 4)
			.mapToObj((i) -> startThread(() -> nestInOrder(new Random(i))))
			.toList();
		threads.forEach(CompletableFuture::join);
		isInOrder();
		nest("name9=1 name0=0");
		isContradiction("'name9' before 'name0' before 'name9'");
	}

	private void nestInOrder(Random random) {
		for (int nest = 0; nest < 250; nest++) {
			nest(this.engine,
					random.ints(4, 0, 10)
						.sorted()
						.distinct()
						.mapToObj((name) -> "name%d=%d-%d".formatted(name, name, random.nextInt(10)))
						.toList());
		}
	}

	@Test
	void numberOfOrdersIsBounded() {
		nest(this.engine, IntStream.range(100, 250).mapToObj((i) -> "none=" + i).toList());
		nest("none=x none=y");
		nest("none=y none=x");
		isInOrder();
		nest("none=101 none=100");
		isContradiction("key 101 before key 100 before key 101");
	}

	private void nest(String locks) {
		nest(this.engine, List.of(locks.split(" ", -1)));
	}

	private static void nest(LockEngine engine, List<String> locks) {
		Deque<DistributedLock> held = new ArrayDeque<>();
		for (String each : locks) {
			DistributedLock lock = lock(engine, each);
			lock.lock();
			held.push(lock);
		}
		held.forEach(DistributedLock::unlock);
	}

	private DistributedLock lock(String lock) {
		return lock(this.engine, lock);
	}

	private static DistributedLock lock(LockEngine engine, String lock) {
		String[] parts = lock.split("=", -1);
		return engine.get(parts[1], options(parts[0]));
	}

	private static LockOptions options(String name) {
		return LockOptions.defaults().withWaitTime(Duration.ofMinutes(1)).withName(name);
	}

	private static CompletableFuture<Void> startThread(Runnable work) {
		return CompletableFuture.runAsync(work, (task) -> new Thread(task).start());
	}

	private void isInOrder() {
		assertThatCode(this.order::check).doesNotThrowAnyException();
	}

	private void isContradiction(String report) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(this.order::check)
			.withMessageContaining("deadlock: " + report + ". ");
	}

}
