package io.lockable.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.LockStore.LeaseRequest;
import io.lockable.store.StoredLock;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The contract of every {@link LockStore}. The tests of a custom store extend this class,
 * or one of these, each of which includes the previous one:
 * <ul>
 * <li>{@link QueueingLockStoreContractTests} if it queues waiters;</li>
 * <li>{@link SharingLockStoreContractTests} if it shares locks;</li>
 * <li>{@link RecallingLockStoreContractTests} if instances can recall locks.</li>
 * </ul>
 * <pre class="code">
 * class MyLockStoreIntegrationTests extends LockStoreContractTests {
 *
 *     &#064;Override
 *     protected LockStore createStore() {
 *         return new MyLockStore(…);
 *     }
 *
 * }
 * </pre>
 *
 * <p>
 * {@link #createStore} is called for each application instance of a test; all stores must
 * see the same locks. {@link #closeStore} closes the resources that it opened. Override
 * {@link #pass} for a backend with a movable clock; otherwise tests wait for leases of
 * {@link #SHORT} to expire. Each test has its own {@link #key}, so the backend may be
 * shared, also with other tests.
 *
 * <p>
 * Classes that extend {@link EngineContractTests} verify locks, read/write locks,
 * semaphores and several keys on the store. Extend those, too.
 *
 * @since 0.1.0
 */
public abstract class LockStoreContractTests extends ContractTests {

	/**
	 * A lease that does not expire during a test.
	 */
	protected static final Duration LONG = Duration.ofSeconds(60);

	/**
	 * A lease for tests that wait for its end.
	 */
	protected static final Duration SHORT = Duration.ofMillis(200);

	/**
	 * A lease between the two, which does not expire either.
	 */
	static final Duration MIDDLE = Duration.ofSeconds(20);

	/**
	 * The first store of the test.
	 */
	protected LockStore store;

	/**
	 * Lets time pass on the backend. Waits, unless overridden for a backend with a
	 * movable clock.
	 * @param time the time
	 */
	protected void pass(Duration time) {
		// A backend that counts milliseconds may expire a lease late.
		Awaitility.await().pollDelay(time.plusMillis(3)).atMost(time.plusSeconds(10)).until(() -> true);
	}

	@BeforeEach
	final void openStore() {
		this.store = anotherStore();
	}

	@AfterEach
	final void closeStores() {
		closeAll();
	}

	/**
	 * Waits for an answer of the store.
	 * @param <T> the type of the answer
	 * @param stage the future answer
	 * @return the answer
	 */
	protected static <T> T answer(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
	}

	/**
	 * Acquires a lock that must be free.
	 * @param owner the owner token
	 * @param lease the lease
	 * @return the grant
	 */
	protected final Granted acquire(String owner, Duration lease) {
		return granted(answer(this.store.acquire(this.key, owner, lease)));
	}

	final boolean release(String owner) {
		return answer(this.store.release(this.key, owner));
	}

	final boolean isLocked() {
		return answer(this.store.isLocked(this.key));
	}

	/**
	 * Verifies that the lock was granted.
	 * @param acquisition the answer of the store
	 * @return the grant
	 */
	protected static Granted granted(@Nullable Acquisition acquisition) {
		return assertThat(acquisition).asInstanceOf(InstanceOfAssertFactories.type(Granted.class)).actual();
	}

	/**
	 * Verifies that the lock was refused.
	 * @param acquisition the answer of the store
	 * @return the refusal
	 */
	protected static Refused refused(@Nullable Acquisition acquisition) {
		return assertThat(acquisition).asInstanceOf(InstanceOfAssertFactories.type(Refused.class)).actual();
	}

	/**
	 * Verifies that a repeated command returned the same tokens, or the last of them.
	 * @param again the later answer
	 * @param first the first answer
	 */
	static void sameTokens(Granted again, Granted first) {
		assertThat(again.lastToken()).isEqualTo(first.lastToken());
		assertThat(again.firstToken()).isGreaterThanOrEqualTo(first.firstToken());
	}

	/**
	 * Returns the rest of the lease, as the store reports it to another owner.
	 * @return the remaining lease of the holder
	 */
	protected final Duration remaining() {
		return refused(answer(this.store.acquire(this.key, "curious", LONG))).remaining();
	}

	@Test
	void acquireAgainGivesTheSameGrantAndNeverShortensTheLease() {
		Granted first = acquire("a", MIDDLE);
		sameTokens(granted(answer(anotherStore().acquire(this.key, "a", LONG))), first);
		assertThat(remaining()).isGreaterThan(MIDDLE);
		sameTokens(acquire("a", SHORT), first);
		assertThat(remaining()).isGreaterThan(MIDDLE);
		assertThat(release("a")).isTrue();
		assertThat(isLocked()).isFalse();
	}

	/**
	 * Looks up the lock through another instance. Skips the test on a store that does not
	 * report holders.
	 * @return the lock
	 */
	final StoredLock look() {
		LockStore another = anotherStore();
		assumeTrue(another instanceof InspectableLockStore, "This store is not an InspectableLockStore");
		return answer(((InspectableLockStore) another).look(this.key));
	}

	@Test
	void lookAtAFreeLockFindsNobody() {
		assertThat(look()).isEqualTo(new StoredLock(List.of(), false, 0));
		acquire("a", LONG);
		assertThat(release("a")).isTrue();
		assertThat(look()).isEqualTo(new StoredLock(List.of(), false, 0));
		acquire("b", SHORT);
		pass(SHORT);
		assertThat(look().isHeld()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "a", "checkout-7f3a:9c1e44d0b2a86f17-18", "123456", "1234567", "\u00e4\u20ac\ud83d\ude00 z" })
	void lookFindsTheHolderAndItsRemainingLeaseAndChangesNothing(String owner) {
		Granted granted = acquire(owner, LONG);
		StoredLock lock = look();
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.shared()).isFalse();
		assertThat(lock.waiting()).isZero();
		assertThat(lock.holders()).singleElement().satisfies((holder) -> {
			assertThat(holder.owner()).isEqualTo(owner);
			assertThat(holder.remaining()).isPositive().isLessThanOrEqualTo(LONG).isGreaterThan(LONG.dividedBy(2));
		});
		sameTokens(acquire(owner, LONG), granted);
		assertThat(release(owner)).isTrue();
		assertThat(isLocked()).isFalse();
	}

	@Test
	void releaseByOwnerFreesTheLockOnce() {
		assertThat(isLocked()).isFalse();
		acquire("a", LONG);
		assertThat(isLocked()).isTrue();
		assertThat(release("a")).isTrue();
		assertThat(isLocked()).isFalse();
		assertThat(release("a")).isFalse();
		acquire("b", LONG);
	}

	private boolean change(Change change, LockStore through, String owner) {
		CompletionStage<Boolean> changed = switch (change) {
			case RELEASE -> through.release(this.key, owner);
			case EXTEND -> through.extend(this.key, owner, LONG);
			case KEEP -> through.keep(this.key, owner, SHORT);
		};
		return answer(changed);
	}

	@ParameterizedTest
	@EnumSource
	void lockOfAnotherOwnerIsNotChanged(Change change) {
		acquire("a", MIDDLE);
		assertThat(change(change, this.store, "b")).isFalse();
		assertThat(change(change, anotherStore(), "A")).isFalse();
		assertThat(remaining()).isGreaterThan(SHORT).isLessThanOrEqualTo(MIDDLE);
		assertThat(release("a")).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void lockOfTheNextOwnerIsNotChangedByAnExpiredOwner(Change change) {
		Granted expired = acquire("a", SHORT);
		pass(SHORT);
		assertThat(isLocked()).isFalse();
		assertThat(change(change, this.store, "a")).isFalse();
		Granted next = granted(answer(anotherStore().acquire(this.key, "b", MIDDLE)));
		assertThat(next.firstToken()).isGreaterThan(expired.lastToken());
		assertThat(change(change, this.store, "a")).isFalse();
		assertThat(remaining()).isGreaterThan(SHORT).isLessThanOrEqualTo(MIDDLE);
		sameTokens(acquire("b", LONG), next);
		assertThat(release("b")).isTrue();
	}

	/**
	 * A store may look up the holder and delete the lock in two steps. It passes every
	 * test that calls one method after the other, and releases another owner's lock here.
	 */
	@Test
	void releaseByExpiringOwnerNeverFreesTheNextOwnersLock() throws Exception {
		LockStore other = anotherStore();
		int releasedTooLate = 0;
		for (int round = 0; round < 100; round++) {
			String name = this.key + ":" + round;
			Duration lease = Duration.ofMillis(5);
			granted(answer(this.store.acquire(name, "a", lease)));
			CompletableFuture<Acquisition> next = CompletableFuture.supplyAsync(() -> {
				Acquisition acquisition = answer(other.acquire(name, "b", LONG));
				while (acquisition instanceof Refused) {
					acquisition = answer(other.acquire(name, "b", LONG));
				}
				return acquisition;
			}, (task) -> new Thread(task).start());
			// Some milliseconds around the end, also if real time passes and adds a few.
			pass(Duration.ofNanos(1_000_000 + round * 45_000));
			releasedTooLate += answer(this.store.release(name, "a")) ? 0 : 1;
			granted(next.get(10, TimeUnit.SECONDS));
			assertThat(answer(this.store.release(name, "a"))).isFalse();
			assertThat(answer(other.release(name, "b"))).as("the next owner still held the lock").isTrue();
		}
		assertThat(releasedTooLate).as("rounds in which the lease ended first").isPositive();
	}

	@Test
	void extendProlongsTheLeaseFromNowOnAndNeverShortensIt() {
		acquire("a", MIDDLE);
		assertThat(answer(this.store.extend(this.key, "a", LONG))).isTrue();
		assertThat(remaining()).isGreaterThan(MIDDLE).isLessThanOrEqualTo(LONG);
		pass(SHORT);
		assertThat(answer(this.store.extend(this.key, "a", LONG))).isTrue();
		assertThat(remaining()).isGreaterThan(LONG.minus(SHORT)).isLessThanOrEqualTo(LONG);
		assertThat(answer(this.store.extend(this.key, "a", SHORT))).isTrue();
		assertThat(remaining()).isGreaterThan(MIDDLE);
	}

	@Test
	void keepLetsTheOwnerGoAndEndsAfterTheRestIfTheStoreCanDoThat() {
		acquire("a", LONG);
		assertThat(answer(this.store.keep(this.key, "a", MIDDLE))).isTrue();
		boolean kept = remaining().compareTo(MIDDLE) <= 0;
		assertThat(answer(this.store.keep(this.key, "a", Duration.ofSeconds(30)))).isTrue();
		assertThat(remaining().compareTo(MIDDLE) <= 0).as("again").isEqualTo(kept);
		assertThat(release("a")).isEqualTo(!kept);
		assertThat(isLocked()).isEqualTo(kept);
	}

	@Test
	void keepOutlivesTheLease() {
		acquire("a", SHORT);
		assertThat(answer(this.store.keep(this.key, "a", LONG))).isTrue();
		pass(SHORT);
		assertThat(isLocked()).isTrue();
	}

	@Test
	void extendAllAnswersForEveryLease() {
		acquire("a", SHORT);
		String otherKey = this.key + ":other";
		granted(answer(this.store.acquire(otherKey, "b", SHORT)));
		LeaseRequest held = new LeaseRequest(this.key, "a", LONG);
		LeaseRequest foreign = new LeaseRequest(otherKey, "a", LONG);
		LeaseRequest free = new LeaseRequest(this.key + ":free", "a", LONG);
		LeaseRequest alsoHeld = new LeaseRequest(otherKey, "b", LONG);
		List<CompletionStage<Boolean>> extended = this.store.extendAll(List.of(held, foreign, free, alsoHeld));
		assertThat(extended.stream().map(LockStoreContractTests::answer)).containsExactly(true, false, false, true);
		assertThat(remaining()).isGreaterThan(SHORT);
		assertThat(this.store.extendAll(List.of())).isEmpty();
	}

	private List<LeaseRequest> requests(String... owners) {
		List<LeaseRequest> requests = new ArrayList<>();
		for (String owner : owners) {
			requests.add(new LeaseRequest("{" + this.key + "}" + requests.size(), owner, LONG));
		}
		return requests;
	}

	/**
	 * Acquires several locks together, if the store supports it.
	 * @param asked the store
	 * @param requests the locks
	 * @return the answers; empty if the store does not support it
	 */
	private Optional<Map<String, Acquisition>> acquireAll(LockStore asked, List<LeaseRequest> requests) {
		if (asked.canAcquireAll(requests.stream().map(LeaseRequest::key).toList())) {
			return Optional.of(answer(asked.acquireAll(requests)));
		}
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> asked.acquireAll(requests));
		return Optional.empty();
	}

	@Test
	void acquireAllTakesEveryLockAndTheSameGrantsAgain() {
		List<LeaseRequest> requests = requests("a", "b", "c");
		acquireAll(this.store, requests).ifPresent((first) -> {
			Map<String, Acquisition> again = acquireAll(anotherStore(), requests).orElseThrow();
			for (int i = 0; i < requests.size(); i++) {
				String name = requests.get(i).key();
				Granted granted = granted(first.get(name));
				sameTokens(granted(again.get(name)), granted);
				assertThat(refused(answer(this.store.acquire(name, "other", LONG))).remaining()).isPositive()
					.isLessThanOrEqualTo(LONG);
				assertThat(answer(this.store.release(name, requests.get(i).owner()))).isTrue();
				Granted next = granted(answer(this.store.acquire(name, "next", LONG)));
				assertThat(next.firstToken()).isGreaterThan(granted.lastToken());
			}
		});
	}

	@Test
	void acquireAllWhenOneIsHeldByOtherTakesNone() {
		List<LeaseRequest> requests = requests("a", "b", "c");
		String held = requests.get(1).key();
		granted(answer(this.store.acquire(held, "other", LONG)));
		acquireAll(this.store, requests).ifPresent((answers) -> {
			assertThat(answers).containsOnlyKeys(held);
			assertThat(refused(answers.get(held)).remaining()).isPositive().isLessThanOrEqualTo(LONG);
			for (int i : new int[] { 0, 2 }) {
				assertThat(answer(this.store.isLocked(requests.get(i).key()))).isFalse();
			}
			assertThat(answer(this.store.release(held, "b"))).isFalse();
			assertThat(answer(this.store.release(held, "other"))).isTrue();
		});
	}

	@Test
	void locksOfAcquireAllEndByThemselves() {
		List<LeaseRequest> requests = List.of(new LeaseRequest("{" + this.key + "}0", "a", SHORT),
				new LeaseRequest("{" + this.key + "}1", "b", LONG));
		acquireAll(this.store, requests).ifPresent((answers) -> {
			assertThat(answers.values()).hasSize(2)
				.allSatisfy((answer) -> assertThat(answer).isInstanceOf(Granted.class));
			pass(SHORT);
			assertThat(answer(this.store.isLocked(requests.get(0).key()))).isFalse();
			assertThat(answer(this.store.isLocked(requests.get(1).key()))).isTrue();
		});
	}

	@Test
	void fencingTokensGrowOverRelease() {
		LockStore other = anotherStore();
		long last = 0;
		for (int i = 0; i < 100; i++) {
			LockStore next = (i % 2 == 0) ? this.store : other;
			String owner = "owner" + i % 3;
			Granted granted = granted(answer(next.acquire(this.key, owner, LONG)));
			assertThat(granted.firstToken()).isGreaterThan(last);
			last = granted.lastToken();
			assertThat(answer(next.release(this.key, owner))).isTrue();
		}
	}

	/**
	 * Sends a command on many threads at once, through two stores.
	 * @param <T> the type of the answers
	 * @param other the second store
	 * @param command receives the store and the index of the thread
	 * @return the answers
	 * @throws Exception on failure
	 */
	private <T> List<T> together(LockStore other, BiFunction<LockStore, Integer, CompletionStage<T>> command)
			throws Exception {
		return inParallel(16, (index) -> answer(command.apply((index % 2 == 0) ? this.store : other, index)));
	}

	@Test
	void concurrentAcquirersGetExactlyOneGrant() throws Exception {
		LockStore other = anotherStore();
		for (int round = 0; round < 20; round++) {
			String name = this.key + ":" + round;
			List<Acquisition> answers = together(other, (mine, index) -> mine.acquire(name, "owner" + index, LONG));
			assertThat(answers).filteredOn(Granted.class::isInstance).hasSize(1);
		}
	}

	@Test
	void concurrentCommandsOfOneOwnerCountOnce() throws Exception {
		LockStore other = anotherStore();
		List<Acquisition> answers = together(other, (mine, index) -> mine.acquire(this.key, "a", LONG));
		assertThat(answers.stream().map((acquisition) -> granted(acquisition).firstToken()).distinct()).hasSize(1);
		assertThat(together(other, (mine, index) -> mine.release(this.key, "a"))).containsOnlyOnce(true);
	}

	@Test
	void keysAreIndependentAlsoIfTheyAreVeryLong() {
		for (String name : List.of(this.key, this.key + "x".repeat(10_000))) {
			String other = name + ":other";
			granted(answer(this.store.acquire(name, "a", LONG)));
			assertThat(answer(this.store.isLocked(other))).isFalse();
			granted(answer(this.store.acquire(other, "a", LONG)));
			assertThat(answer(this.store.release(name, "a"))).isTrue();
			assertThat(answer(this.store.isLocked(other))).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { " a b ", "{a}b", "a{b}c{d}", "{}", "{", "}{", "{:fence",
			"\u00fcn\u00efc\u00f6de\u2603\uD83D\uDD12", "tab\tline\nquote\"'\\", "*?[a-z]", "%s%n", "\0" })
	void oddKeysAreKeysLikeAnyOther(String odd) {
		List<String> keys = List.of(this.key + odd, odd + this.key, this.key);
		for (String name : keys) {
			granted(answer(this.store.acquire(name, "a", LONG)));
		}
		for (String name : keys) {
			refused(answer(this.store.acquire(name, "b", LONG)));
			assertThat(answer(this.store.extend(name, "a", LONG))).isTrue();
			assertThat(answer(this.store.release(name, "a"))).isTrue();
			assertThat(answer(this.store.isLocked(name))).isFalse();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "req-1:i.7", "a b", "{a}", "|,;:", "\u00fc\u2603", "42", "nil" })
	void oddOwnersAreOwnersLikeAnyOther(String odd) {
		acquire(odd, LONG);
		assertThat(release(odd + "x")).isFalse();
		assertThat(answer(this.store.extend(this.key, odd, LONG))).isTrue();
		assertThat(release(odd)).isTrue();
	}

	/**
	 * Runs a call on many threads that start together.
	 * @param <T> the type of the results
	 * @param threads the number of threads
	 * @param call receives the index of its thread
	 * @return the results
	 * @throws Exception if a call fails or does not return within 30 seconds
	 */
	protected static <T> List<T> inParallel(int threads, IntFunction<T> call) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			CyclicBarrier start = new CyclicBarrier(threads);
			List<Callable<T>> tasks = IntStream.range(0, threads).<Callable<T>>mapToObj((index) -> () -> {
				start.await(10, TimeUnit.SECONDS);
				return call.apply(index);
			}).toList();
			List<T> results = new ArrayList<>();
			for (Future<T> future : executor.invokeAll(tasks, 30, TimeUnit.SECONDS)) {
				results.add(future.get());
			}
			return results;
		}
		finally {
			executor.shutdownNow();
		}
	}

	/**
	 * A change to a lock that only its owner may make.
	 */
	private enum Change {

		RELEASE, EXTEND, KEEP

	}

}
