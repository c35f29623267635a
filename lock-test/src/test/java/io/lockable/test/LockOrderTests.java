package io.lockable.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.DistributedSemaphore;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.ReleaseMode;
import io.lockable.Renewal;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.SharingLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockOrder}. A lock is written as {@code name:key}.
 */
@SuppressWarnings("LockNotBeforeTry")
class LockOrderTests {

	private static final Duration WAIT = Duration.ofMinutes(1);

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

	// Contradictions

	@Test
	void contradictingOrdersAreReportedWithBothStacks() {
		stockBeforeOrder();
		isInOrder();
		orderBeforeStock();
		assertThatExceptionOfType(AssertionError.class).isThrownBy(this.order::check)
			.withMessageContaining("deadlock: stock before order before stock")
			.withMessageContaining("'stock' (key stock:1), then 'order' (key order:2), by thread '")
			.withMessageContaining("LockOrderTests.stockBeforeOrder(")
			.withMessageContaining("'order' (key order:4), then 'stock' (key stock:3), by thread '")
			.withMessageContaining("LockOrderTests.orderBeforeStock(");
	}

	private void stockBeforeOrder() {
		nest("stock:1", "order:2");
	}

	private void orderBeforeStock() {
		nest("order:4", "stock:3");
	}

	@Test
	void contradictionIsReportedOnceForEachCheck() {
		nest("a:1", "b:1");
		nest("b:1", "a:1");
		nest("b:2", "a:2");
		assertThat(report()).containsOnlyOnce("can deadlock");
		isInOrder();
		nest("b:1", "a:1");
		assertThat(report()).containsOnlyOnce("can deadlock");
	}

	@Test
	void cycleOfSeveralThreadsIsReported() throws Exception {
		for (String[] locks : new String[][] { { "a:1", "b:1" }, { "b:1", "c:1" }, { "c:1", "d:1" },
				{ "d:1", "a:1" } }) {
			Thread thread = new Thread(() -> nest(locks), "nesting " + locks[0]);
			thread.start();
			thread.join();
		}
		assertThat(report()).contains("a before b before c before d before a").contains("by thread 'nesting c:1'");
	}

	@Test
	void outerLocksOfANestPrecedeAllInnerOnes() {
		nest("a:1", "b:1", "c:1");
		nest("c:1", "a:1");
		assertThat(report()).contains("a before c before a");
	}

	@Test
	void locksOfOneNameAreComparedByKey() {
		nest("account:1", "account:2");
		nest("account:2", "account:3");
		isInOrder();
		nest("account:3", "account:1");
		assertThat(report()).contains("key account:1 before key account:2 before key account:3 before key account:1");
	}

	@Test
	void locksOfDifferentNamesAreAlsoComparedByKey() {
		nest("order:1", "stock:1");
		this.engine.get("stock:1", options("restock"))
			.run(() -> this.engine.get("order:1", options("refund")).run(() -> {
			}));
		assertThat(report()).contains("key order:1 before key stock:1 before key order:1")
			.contains("'restock' (key stock:1), then 'refund' (key order:1), by thread '");
	}

	@Test
	void nameWithinItselfDoesNotContradictTheNamesBetween() {
		nest("node:1", "log:1", "node:2");
		isInOrder();
	}

	@Test
	void locksWithoutANameAreComparedByKey() {
		nest("none:a", "none:b");
		nest("none:c", "none:a");
		isInOrder();
		nest("none:b", "none:c");
		assertThat(report()).contains("key none:c before key none:a before key none:b before key none:c");
	}

	@Test
	void readLocksAndPermitsCountAsTheirLocks() throws InterruptedException {
		DistributedReadWriteLock catalog = this.engine.getReadWriteLock("catalog:1", options("catalog"));
		DistributedSemaphore supplier = this.engine.getSemaphore("supplier:1", 3, options("supplier"));
		catalog.readLock().lock();
		supplier.acquire().close();
		catalog.readLock().unlock();
		isInOrder();
		try (Lease lease = supplier.acquire()) {
			catalog.writeLock().lock();
		}
		assertThat(report()).contains("catalog before supplier before catalog");
	}

	@Test
	void keysOfOneCallFollowTheLocksAroundIt() {
		lock("a:1").lock();
		together("b", "b:1", "b:2").run(() -> {
		});
		lock("a:1").unlock();
		nest("b:9", "a:1");
		assertThat(report()).contains("a before b before a");
	}

	// Calls without an order

	@Test
	void reentrantAcquisitionHasNoOrder() {
		nest("a:1", "b:1", "a:1");
		isInOrder();
	}

	@Test
	void tryWithoutAWaitIsNeverTheSecondOfAnOrder() {
		nest("a:1", "b:1");
		lock("b:1").lock();
		assertThat(lock("a:1").tryLock()).isTrue();
		lock("a:1").unlock();
		this.engine.get("a:1", options("a").withWaitTime(Duration.ZERO)).run(() -> {
		});
		lock("b:1").unlock();
		isInOrder();
	}

	@Test
	void tryWithoutAWaitMayBeTheFirstOfAnOrder() {
		nest("a:1", "b:1");
		assertThat(lock("b:1").tryLock()).isTrue();
		lock("a:1").lock();
		assertThat(report()).contains("a before b before a");
	}

	@Test
	void keysOfOneCallHaveNoOrder() throws InterruptedException {
		List<String> keys = List.of("none:1", "none:2");
		this.engine.getAll(keys, options("none")).run(() -> {
		});
		LockOptions oneByOne = options("none").withFair(true);
		this.engine.getAll(keys, oneByOne).run(() -> {
		});
		this.engine.getAll(keys, oneByOne).acquire().close();
		nest("none:2", "none:1");
		isInOrder();
	}

	@Test
	void downgradeHasNoOrder() {
		Lock write = this.engine.getReadWriteLock("k", options("a")).writeLock();
		Lock read = this.engine.getReadWriteLock("k", options("a")).readLock();
		nest("b:1", "a:1");
		write.lock();
		read.lock();
		write.unlock();
		read.unlock();
		isInOrder();
	}

	@Test
	void commonKeyExcludesTheOtherOrder() {
		nest("gate:1", "a:1", "b:1");
		nest("gate:1", "b:1", "a:1");
		nest("gate:1", "c:1", "gate:2", "d:1");
		isInOrder();
		nest("gate:2", "b:1", "a:1");
		isInOrder();
		nest("b:1", "a:1");
		assertThat(report()).contains("a before b before a").doesNotContain("gate");
	}

	@Test
	void differentKeysOfOneNameExcludeNothing() {
		nest("gate:1", "a:1", "b:1");
		nest("gate:2", "b:1", "a:1");
		assertThat(report()).contains("a before b before a");
	}

	// Callers

	@Test
	void leasePrecedesWhatItsMethodAcquires() throws InterruptedException {
		try (Lease outer = lock("a:1").acquire()) {
			lock("b:1").acquire().close();
		}
		try (Lease outer = lock("b:1").tryAcquire(WAIT).orElseThrow()) {
			nest("a:1");
		}
		assertThat(report()).contains("a before b before a");
	}

	@Test
	void leaseOfAFinishedMethodBelongsToNoCaller() throws Exception {
		nest("b:1", "a:1");
		CompletableFuture<?> work = new CompletableFuture<>();
		CompletableFuture<?> done = startUnderLock(work);
		nest("b:1");
		work.complete(null);
		done.get();
		isInOrder();
	}

	private CompletableFuture<?> startUnderLock(CompletableFuture<?> work) throws InterruptedException {
		Lease lease = lock("a:1").acquire();
		return work.whenComplete((result, failure) -> lease.close());
	}

	@Test
	void asynchronousLeaseBelongsToNoCaller() throws Exception {
		nest("b:1", "a:1");
		Lease lease = lock("a:1").acquireAsync().get(1, TimeUnit.MINUTES);
		nest("b:1");
		lease.close();
		isInOrder();
	}

	@Test
	void threadThatRequestsAFutureDoesNotWait() throws Exception {
		nest("b:1", "a:1");
		lock("a:1").lock();
		CompletableFuture<Lease> requested = lock("b:1").acquireAsync();
		CompletableFuture<Lease> several = together("b", "b:2", "b:3").acquireAsync();
		lock("a:1").unlock();
		requested.get(1, TimeUnit.MINUTES).close();
		several.get(1, TimeUnit.MINUTES).close();
		isInOrder();
	}

	@Test
	void threadsDoNotShareTheirLocks() throws Exception {
		nest("b:1", "a:1");
		lock("a:1").lock();
		Thread thread = new Thread(() -> nest("b:1"));
		thread.start();
		thread.join();
		isInOrder();
	}

	@Test
	void leaseWhoseKeyItsOwnMethodRequestsStandsForAnotherOwner() {
		nest("order:1", "stock:1");
		Lease other = lock("stock:1").tryAcquire().orElseThrow();
		lock("order:1").run(() -> assertThat(lock("stock:1").tryAcquire()).isEmpty());
		other.close();
		isInOrder();
		nest("order:2", "stock:2");
		isInOrder();
	}

	@Test
	void lostLockIsNotHeld() {
		nest("b:1", "a:1");
		LockOptions options = options("a").withRenewal(Renewal.OFF);
		this.engine.get("a:1", options).lock();
		this.clock.advance(Duration.ofSeconds(11));
		nest("b:1");
		isInOrder();
	}

	@Test
	void releasedLockIsNotHeldBeforeTheAnswer() {
		nest("b:1", "a:1");
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		InMemoryLockStore backend = new InMemoryLockStore(this.clock);
		SharingLockStore slow = (SharingLockStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { SharingLockStore.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("release")) {
						return answer;
					}
					try {
						return method.getName().equals("isOrdered") ? true : method.invoke(backend, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
		try (LockEngine pipelined = engine(slow)) {
			DistributedLock lock = pipelined.get("a:1", options("a").withRelease(ReleaseMode.PIPELINED));
			lock.lock();
			lock.unlock();
			pipelined.get("b:1", options("b")).lock();
			isInOrder();
			answer.complete(true);
		}
	}

	@Test
	void lockThatATestLeavesBehindIsNotHeldInTheNextOne() {
		nest("b:1", "a:1");
		lock("a:1").lock();
		isInOrder();
		nest("b:1");
		isInOrder();
	}

	// Bounds

	@Test
	void randomNestsThatFollowOneOrderAreNeverReported() throws Exception {
		int threads = 4;
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		List<Future<?>> running = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			Random random = new Random(i);
			running.add(executor.submit(() -> {
				for (int nest = 0; nest < 2_500; nest++) {
					nestInOrder(random);
				}
				return null;
			}));
		}
		for (Future<?> each : running) {
			each.get(5, TimeUnit.MINUTES);
		}
		executor.shutdown();
		isInOrder();
		nest("name19:0", "name0:0");
		assertThat(report()).contains("name0 before name19 before name0");
	}

	private void nestInOrder(Random random) throws InterruptedException {
		Deque<Runnable> releases = new ArrayDeque<>();
		int[] names = random.ints(4, 0, 20).sorted().distinct().toArray();
		for (int name : names) {
			int[] keys = random.ints(2, 0, 100).sorted().distinct().toArray();
			LockOptions options = options("name" + name);
			String key = name + "-" + keys[0];
			switch (random.nextInt(4)) {
				case 0 -> {
					DistributedLock all = this.engine
						.getAll(Arrays.stream(keys).mapToObj((each) -> name + "-" + each).toList(), options);
					all.lock();
					releases.push(all::unlock);
				}
				case 1 -> releases.push(this.engine.get(key, options).acquire()::close);
				case 2 -> {
					DistributedLock lock = this.engine.get(key, options);
					if (lock.tryLock()) {
						releases.push(lock::unlock);
					}
				}
				default -> {
					DistributedLock lock = this.engine.get(key, options);
					lock.lock();
					releases.push(lock::unlock);
				}
			}
		}
		List<Runnable> order = new ArrayList<>(releases);
		if (random.nextBoolean()) {
			Collections.shuffle(order, random);
		}
		order.forEach(Runnable::run);
	}

	@Test
	void numberOfOrdersIsBounded() {
		nest(IntStream.range(0, 150).mapToObj((i) -> "none:" + (100 + i)).toArray(String[]::new));
		nest("none:101", "none:100");
		assertThat(report()).contains("key none:100 before key none:101 before key none:100");
		nest("none:x", "none:y");
		nest("none:y", "none:x");
		isInOrder();
	}

	private void nest(String... locks) {
		Deque<DistributedLock> held = new ArrayDeque<>();
		for (String each : locks) {
			DistributedLock lock = lock(each);
			lock.lock();
			held.push(lock);
		}
		held.forEach(DistributedLock::unlock);
	}

	private DistributedLock lock(String lock) {
		return this.engine.get(lock, options(lock.substring(0, lock.indexOf(':'))));
	}

	private DistributedLock together(String name, String... keys) {
		return this.engine.getAll(List.of(keys), options(name));
	}

	private static LockOptions options(String name) {
		return LockOptions.defaults().withWaitTime(WAIT).withName(name);
	}

	private void isInOrder() {
		assertThatCode(this.order::check).doesNotThrowAnyException();
	}

	private String report() {
		try {
			this.order.check();
		}
		catch (AssertionError ex) {
			return String.valueOf(ex.getMessage());
		}
		return "";
	}

}
